using Zoo.Running;

namespace Clinic.Reminders;

/// <summary>500 appointments, each with a timer; all are due on the same tick.</summary>
internal static class ReminderService
{
    private static readonly List<Timer> Timers = [];
    private static int _sent;

    public static void Run(Stage stage)
    {
        for (var i = 0; i < 500; i++)
        {
            Timers.Add(new Timer(SendReminder, $"appointment {i}", Timeout.Infinite, Timeout.Infinite));
        }

        foreach (var timer in Timers)
        {
            timer.Change(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
        }

        stage.Rest();
        Console.WriteLine($"{_sent} reminders");
    }

    private static void SendReminder(object? appointment)
    {
        var text = $"Reminder: {appointment} at {DateTime.UtcNow:t}";
        if (text.Length > 0)
        {
            Interlocked.Increment(ref _sent);
        }
    }
}
