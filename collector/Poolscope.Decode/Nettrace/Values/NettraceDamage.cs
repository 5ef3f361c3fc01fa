namespace Poolscope.Decode.Nettrace.Values;

/// <summary>A .nettrace file contradicts itself or its capture. The reader of the file catches it and keeps the events
/// before the damage.</summary>
internal sealed class NettraceDamage(string what) : Exception(what);
