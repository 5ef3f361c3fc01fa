using Poolscope.Decode.Stacks;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Paths come from a capture's module records. A path on a server would make the reader's machine log on to
/// it.</summary>
public sealed class LocalPathTests
{
    [Theory]
    [InlineData(@"C:\build\app.pdb", true)]
    [InlineData("c:/build/app.pdb", true)]
    [InlineData(@"\\server\share\app.pdb", false)]
    [InlineData("//server/share/app.pdb", false)]
    [InlineData(@"\\?\UNC\server\share\app.pdb", false)]
    [InlineData(@"\\.\pipe\app.pdb", false)]
    [InlineData(@"\??\C:\app.pdb", false)]
    [InlineData(@"C:app.pdb", false)]
    [InlineData(@"C:\app.pdb:stream", false)]
    [InlineData("app.pdb", false)]
    [InlineData("/build/app.pdb", false)]
    public void Of_Windows(string path, bool isLocal) => Assert.Equal(isLocal, LocalPath.Is(path, windows: true));

    [Theory]
    [InlineData("/build/app.pdb", true)]
    [InlineData("//server/share/app.pdb", false)]
    [InlineData("/dev/shm/app.pdb", false)]
    [InlineData("/proc/self/root/app.pdb", false)]
    [InlineData("/net/server/app.pdb", false)]
    [InlineData("app.pdb", false)]
    [InlineData("", false)]
    [InlineData("/build/\0app.pdb", false)]
    public void Of_other_systems(string path, bool isLocal) => Assert.Equal(isLocal, LocalPath.Is(path, windows: false));
}
