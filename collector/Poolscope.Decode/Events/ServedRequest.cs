namespace Poolscope.Decode.Events;

/// <summary>What the web server tells of a request at its beginning and at its end.</summary>
/// <param name="Connection">Kestrel's id.</param>
/// <param name="Protocol">Such as HTTP/1.1.</param>
/// <param name="Path">Without the query.</param>
internal readonly record struct ServedRequest(string Connection, string Protocol, string Method, string Path);
