namespace Poolscope.Etl.Files;

/// <summary>A file of a recording.</summary>
/// <param name="Name">What messages call it; of an unpacked one, with the zip that it came from.</param>
internal readonly record struct EtlPart(string Path, string Name);
