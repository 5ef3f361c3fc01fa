using System.Text.RegularExpressions;
using Zoo.Running;

namespace Blog.Comments;

/// <summary>A regular expression that backtracks for half a second on some comments, ten times a second on two cores.</summary>
internal static class CommentFilter
{
    private static readonly Regex Spam = new("^(a+)+$", RegexOptions.None, TimeSpan.FromMilliseconds(500));

    private static int _spam;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(10, n => ThreadPool.QueueUserWorkItem(_ => Check(new string('a', 40) + (char)('b' + n % 5))));
    }

    private static void Check(string comment)
    {
        try
        {
            if (Spam.IsMatch(comment))
            {
                Interlocked.Increment(ref _spam);
            }
        }
        catch (RegexMatchTimeoutException)
        {
            Interlocked.Increment(ref _spam);
        }
    }
}
