using Poolscope.Collect.Terminal;

namespace Poolscope.Collect.Tests;

/// <summary>A console that keeps its output.</summary>
internal sealed class RecordingConsole(bool terminal = false) : ICommandConsole
{
    private readonly StringWriter _out = new();
    private readonly StringWriter _error = new();

    public TextWriter Out => _out;

    public TextWriter Error => _error;

    public bool ErrorIsTerminal => terminal;

    public bool Color => false;

    public string Written => _out.ToString();

    public string Complained => _error.ToString();
}
