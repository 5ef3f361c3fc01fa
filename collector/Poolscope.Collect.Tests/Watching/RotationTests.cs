using Poolscope.Collect.Watching;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class RotationTests
{
    /// <summary>Days of watching on a clock of its own, with beginnings that take up to three seconds and an incident now and
    /// then: a recording that is old enough is always there, and never are there more than two.</summary>
    [Theory]
    [InlineData(60)]
    [InlineData(5)]
    public void One_recording_always_reaches_back_far_enough(int before)
    {
        var rotation = new Rotation(TimeSpan.FromSeconds(before));
        var random = new Random(1);
        var starts = new List<double>();
        var (begins, incidentEnds, longest, ready) = (-1.0, -1.0, 0.0, false);
        var rotations = 0;
        for (var now = 0.0; now < 2000 * before; now += 0.1)
        {
            if (begins >= 0 && now >= begins)
            {
                starts.Add(now);
                begins = -1;
            }

            ready |= starts.Count > 0 && now - starts[0] >= before;
            var incident = now < incidentEnds;
            if (ready)
            {
                Assert.True(now - starts[0] >= before || now - incidentEnds < before);
            }

            Assert.InRange(starts.Count + (begins >= 0 ? 1 : 0) + (incident ? 1 : 0), 0, 2 + (begins >= 0 && incident ? 1 : 0));
            longest = Math.Max(longest, starts.Count > 0 && !incident && now - incidentEnds > 2 * before ? now - starts[0] : 0);
            if (!incident && starts.Count == 2 && begins < 0 && random.Next(20_000) == 0)
            {
                starts.RemoveAt(0);
                incidentEnds = now + (0.5 * before);
                continue;
            }

            if (begins >= 0)
            {
                continue;
            }

            switch (rotation.Next(Age(0), Age(1), incident))
            {
                case RotationStep.Begin:
                    begins = now + (random.NextDouble() * 3);
                    break;
                case RotationStep.DropElder:
                    starts.RemoveAt(0);
                    rotations++;
                    break;
            }

            TimeSpan? Age(int i) => starts.Count > i ? TimeSpan.FromSeconds(now - starts[i]) : null;
        }

        Assert.InRange(rotations, 500, 2000);
        Assert.InRange(longest, 2 * before, (2 * before) + 4);
    }

    [Fact]
    public void Beside_an_incident_no_recording_begins()
    {
        var rotation = new Rotation(TimeSpan.FromSeconds(60));
        var old = TimeSpan.FromSeconds(100);
        Assert.Equal(RotationStep.Begin, rotation.Next(old, null, incident: false));
        Assert.Equal(RotationStep.None, rotation.Next(old, null, incident: true));
        Assert.Equal(RotationStep.Begin, rotation.Next(null, null, incident: true));
        Assert.Equal(RotationStep.None, rotation.Next(old, TimeSpan.FromSeconds(59), incident: false));
        Assert.Equal(RotationStep.DropElder, rotation.Next(old, TimeSpan.FromSeconds(60), incident: false));
    }
}
