namespace Poolscope.Decode.Tests.Etw;

/// <summary>GUIDs of event sources without one of their own, which are hashes of their names. They are written out to
/// check the GUIDs that the decoder computes from the names.</summary>
internal static class RuntimeGuids
{
    public const string Hosting = "9ded64a4-414c-5251-dcf7-1e4e20c15e70";
    public const string Kestrel = "bdeb4676-a36e-5442-db99-4764e2326c7d";
    public const string HttpCalls = "d30b5633-7ef1-5485-b4e0-94979b102068";
}
