using Poolscope.Decode.Requests;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>Ids that .NET 8.0.31 made, and others that AddIdToGuid would make.</summary>
public sealed class ActivityPathTests
{
    [Theory]
    [InlineData("00001012-0000-0000-0000-0000eb889d59", "00000012-0000-0000-0000-000000000000")] // 1/2/1
    [InlineData("00000012-0000-0000-0000-0000ebb89d59", "00000010-0000-0000-0000-000000000000")] // 1/2
    [InlineData("00100b1c-0000-0000-0000-00009d85ad59", "00000b1c-0000-0000-0000-000000000000")] // 1/11/1
    [InlineData("1012341d-0000-0000-0000-000000000000", "0012341d-0000-0000-0000-000000000000")] // 1/0x1234/1
    [InlineData("0012341d-0000-0000-0000-000000000000", "00000010-0000-0000-0000-000000000000")] // 1/0x1234
    [InlineData("0034c212-0010-0000-0000-000000000000", "0034c212-0000-0000-0000-000000000000")] // 1/2/0x234/1: the second byte is empty
    [InlineData("10341212-0000-0000-0000-000000000000", "00341212-0000-0000-0000-000000000000")] // 1/2/1/2/3/4/1
    public void The_path_around_ends_before_the_last_number(string activity, string around) =>
        Assert.Equal(Guid.Parse(around), ActivityPath.Around(Guid.Parse(activity)));

    [Theory]
    [InlineData("0000b012-0000-0000-0000-000000000000")] // too long, according to its code
    [InlineData("11111111-1111-1111-1111-11f000000000")] // the number does not fit
    public void A_path_that_does_not_fit_has_none_around(string activity) => Assert.Null(ActivityPath.Around(Guid.Parse(activity)));

    [Fact]
    public void The_checksum_is_no_part_of_the_path() =>
        Assert.Equal(Guid.Parse("00000012-0000-0000-0000-000000000000"), ActivityPath.Of(Guid.Parse("00000012-0000-0000-0000-0000ebb89d59")));
}
