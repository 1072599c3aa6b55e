package triggers

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"time"

	"nanoclaw/internal/crontab"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

const (
	// tickEvery is how soon a schedule is noticed to be due.
	tickEvery = time.Second
	// missedAfter is how late a moment may be noticed and still count as in time.
	missedAfter = time.Minute
)

// Options are what the service is built from; all are needed but Now.
type Options struct {
	Store  *store.Store
	Runs   *runs.Service
	Logger *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Service fires triggers.
type Service struct{ Options }

// New builds the service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{o}
}

// Start fires schedules until the function that it returns is called.
func (s *Service) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(tickEvery)
		defer tick.Stop()
		for {
			if err := s.Tick(ctx); err != nil && ctx.Err() == nil {
				s.Logger.Error("schedules could not be looked through; it will be tried again", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Tick fires what is due now.
func (s *Service) Tick(ctx context.Context) error {
	due, err := s.Store.DueSchedules(ctx, models.TimeOf(s.Now()))
	if err != nil {
		return err
	}
	for _, schedule := range due {
		if err := s.fireDue(ctx, schedule); err != nil {
			s.Logger.Error("a schedule could not fire; it will be tried again", "schedule", schedule.Name, "error", err)
		}
	}
	return nil
}

// errTaken says that somebody else has the firing.
var errTaken = errors.New("the firing is another's")

// fireDue takes one moment of a schedule: it starts its run, or says why there is none.
func (s *Service) fireDue(ctx context.Context, schedule *models.Schedule) error {
	now := s.Now()
	due := schedule.NextAt.Std()
	if now.Before(due.Add(jitter(schedule, due))) {
		return nil
	}
	times, err := crontab.Parse(schedule.Cron, schedule.Timezone)
	if err != nil { // a time zone that this machine does not know
		return s.pass(ctx, schedule, 0, due, models.FiringFailed, err.Error())
	}
	next := models.TimeOf(times.Next(later(now, due)))
	if now.Sub(due)-jitter(schedule, due) > missedAfter {
		if schedule.Missed != models.MissedOnce {
			return s.pass(ctx, schedule, next, due, models.FiringSkipped,
				"no server was running at this moment (missed: skip)")
		}
		due = times.Last(due, now)
	}
	busy, err := s.busy(ctx, schedule)
	switch {
	case err != nil:
		return err
	case busy && schedule.Overlap == models.OverlapQueue:
		return nil // it stays due
	case busy:
		return s.pass(ctx, schedule, next, due, models.FiringSkipped, "the last run is still at work (overlap: skip)")
	}
	firing := newFiring(schedule.ID, fmt.Sprintf("due:%d", models.TimeOf(due)), due)
	_, err = s.start(ctx, schedule.UserID, schedule.Name, schedule.Target, schedule.Text, firing,
		func(tx *store.Tx, run *models.Run) error {
			return taken(tx.AdvanceSchedule(schedule.ID, schedule.NextAt, next, run.ID))
		})
	switch {
	case err == nil, errors.Is(err, errTaken):
		return nil
	case refused(err):
		return s.pass(ctx, schedule, next, due, models.FiringFailed, err.Error())
	}
	return err
}

func taken(ours bool, err error) error {
	if err == nil && !ours {
		return errTaken
	}
	return err
}

// refused says whether a run cannot be started as the trigger has it: an agent, a model or
// a project that is gone, an owner who may not.
func refused(err error) bool {
	var invalid *runs.InvalidError
	var own *Error
	return errors.As(err, &invalid) || errors.As(err, &own) || store.IsCode(err, store.CodeNotFound)
}

// pass leaves a moment without a run.
func (s *Service) pass(ctx context.Context, schedule *models.Schedule, next models.Time, due time.Time, outcome,
	why string) error {
	firing := newFiring(schedule.ID, fmt.Sprintf("due:%d", models.TimeOf(due)), due)
	firing.Outcome, firing.Detail = outcome, why
	err := s.Runs.Commit(ctx, func(tx *store.Tx) error {
		if err := taken(tx.AdvanceSchedule(schedule.ID, schedule.NextAt, next, "")); err != nil {
			return err
		}
		_, err := tx.AddFiring(firing)
		return err
	})
	if err == nil {
		s.Logger.Info("a schedule did not start its run", "schedule", schedule.Name, "outcome", outcome, "why", why)
	}
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// busy says whether the last run of a schedule has not ended.
func (s *Service) busy(ctx context.Context, schedule *models.Schedule) (bool, error) {
	if schedule.LastRunID == "" {
		return false, nil
	}
	run, err := s.Store.Run(ctx, "", schedule.LastRunID)
	if store.IsCode(err, store.CodeNotFound) {
		return false, nil
	}
	return err == nil && !models.RunEnded(run.Status), err
}

// RunNow fires a schedule beside its moments, whether it is enabled or not.
func (s *Service) RunNow(ctx context.Context, schedule *models.Schedule) (*models.Firing, error) {
	id := store.NewID()
	return s.start(ctx, schedule.UserID, schedule.Name, schedule.Target, schedule.Text,
		newFiring(schedule.ID, "manual:"+id, s.Now()), func(tx *store.Tx, run *models.Run) error {
			return tx.SetLastRun(schedule.ID, run.ID)
		})
}

// start claims a firing and starts its run in a conversation of its own, or returns
// errTaken.
func (s *Service) start(ctx context.Context, userID, name string, target models.Target, text string,
	firing *models.Firing, also func(tx *store.Tx, run *models.Run) error) (*models.Firing, error) {
	ctx = store.WithLevel(ctx, store.EditorsToo)
	owner, err := s.Store.GetUser(ctx, userID)
	if err != nil {
		return nil, err
	}
	if !owner.MayRun() {
		return nil, &Error{CodeDisabled, "its owner's account is disabled or may only read: nothing was started"}
	}
	agent := target.Agent
	if agent == runs.DefaultAgent {
		agent = ""
	}
	conv := &models.Conversation{UserID: userID, Title: name, TitleGiven: true, Agent: agent, Model: target.Model,
		ProjectID: target.ProjectID, ToolsEnabled: true}
	_, err = s.Runs.StartFirst(ctx, conv, runs.StartRequest{Text: text}, func(tx *store.Tx, run *models.Run) error {
		firing.RunID, firing.ConversationID, firing.Outcome = run.ID, conv.ID, models.FiringStarted
		if err := taken(tx.AddFiring(firing)); err != nil {
			return err
		}
		return also(tx, run)
	})
	return firing, err
}

func newFiring(triggerID, key string, due time.Time) *models.Firing {
	return &models.Firing{ID: store.NewID(), TriggerID: triggerID, Key: key, DueAt: models.TimeOf(due),
		CreatedAt: models.Now()}
}

// jitter is the delay of one moment: the same in every process.
func jitter(schedule *models.Schedule, due time.Time) time.Duration {
	if schedule.JitterSeconds <= 0 {
		return 0
	}
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%s/%d", schedule.ID, due.Unix())
	return time.Duration(sum.Sum64()%uint64(schedule.JitterSeconds)) * time.Second
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
