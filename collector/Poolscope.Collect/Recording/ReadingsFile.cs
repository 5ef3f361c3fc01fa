using System.Globalization;
using Poolscope.Collect.Files;

namespace Poolscope.Collect.Recording;

/// <summary>A file of readings that the collector takes at a beat: a header, then a line for each, written at once. A
/// capture is no worse without one, so a disk that fails ends only this file.</summary>
internal sealed class ReadingsFile : IDisposable
{
    private StreamWriter? _writer;

    public ReadingsFile(string folder, string name, string header)
    {
        try
        {
            _writer = PrivateFiles.CreateText(Path.Combine(folder, name));
            _writer.WriteLine(header);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _writer = null;
        }
    }

    /// <summary>Whether a reading would be written. If not, the caller need not take one.</summary>
    public bool IsOpen => _writer is not null;

    /// <summary>Adds a line, formatted in the invariant culture.</summary>
    public void Write(FormattableString reading)
    {
        try
        {
            _writer?.WriteLine(reading.ToString(CultureInfo.InvariantCulture));
        }
        catch (IOException)
        {
            _writer = null;
        }
    }

    public void Dispose()
    {
        _writer?.Dispose();
        _writer = null;
    }
}
