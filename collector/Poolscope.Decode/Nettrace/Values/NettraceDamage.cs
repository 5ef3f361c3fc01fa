namespace Poolscope.Decode.Nettrace.Values;

/// <summary>A .nettrace file contradicts itself or its capture. Caught where the file is read: what came before counts.</summary>
internal sealed class NettraceDamage(string what) : Exception(what);
