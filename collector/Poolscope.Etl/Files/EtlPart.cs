namespace Poolscope.Etl.Files;

/// <summary>A file of a recording.</summary>
/// <param name="Name">The name used in messages. It includes the zip's name if the file was unpacked.</param>
internal readonly record struct EtlPart(string Path, string Name);
