using Poolscope.Look.Memory.Items;
using Xunit;

namespace Poolscope.Collect.Tests.Look;

public sealed class ItemNamesTests
{
    private const string Box = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System.Threading.Tasks.VoidTaskResult>+AsyncStateMachineBox<";

    [Theory]
    [InlineData("Shop.Orders+<LoadAsync>d__3", "Shop.Orders.LoadAsync")]
    [InlineData("Program+<<Main>$>d__0", "Program.<Main>$")]
    [InlineData("Shop.Orders+<<Run>g__Load|3_0>d", "Shop.Orders.Load")]
    [InlineData("Tasks.Source<System.Net.Http.HttpConnection>+<WaitAsync>d__1", "Tasks.Source.WaitAsync")]
    [InlineData("Tasks.Source<System.Tuple<System.Int32, Shop.Cart>>+<WaitAsync>d__1", "Tasks.Source.WaitAsync")]
    [InlineData("Shop.Box<System.Int32>+Nested+<RunAsync>d__1", "Shop.Box+Nested.RunAsync")]
    public void A_state_machine_has_the_name_of_its_method(string machine, string expected)
    {
        Assert.Equal(expected, ItemNames.StateMachine($"{Box}System.Threading.Tasks.VoidTaskResult, {machine}>"));
        Assert.Equal(expected, ItemNames.StateMachine($"{Box}{machine}>"));
    }

    [Fact]
    public void A_box_without_a_state_machine_keeps_its_name() => Assert.Equal(Box + "T>", ItemNames.StateMachine(Box + "T>"));
}
