package api

import (
	"context"
	"net/http"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Schedule starts a run at times.
type Schedule struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Cron      string `json:"cron"`
	Timezone  string `json:"timezone" doc:"IANA name; empty: UTC."`
	Text      string `json:"text"`
	Agent     string `json:"agent"`
	Model     string `json:"model"`
	ProjectID string `json:"project_id"`
	Missed    string `json:"missed" enum:"skip,once"`
	Overlap   string `json:"overlap" enum:"skip,queue"`

	JitterSeconds int         `json:"jitter_seconds"`
	Enabled       bool        `json:"enabled"`
	Source        string      `json:"source" enum:"api,config" doc:"config: it stands in config.yml and is changed there."`
	NextAt        models.Time `json:"next_at" doc:"Its next moment; the jitter comes on top."`
	LastRunID     string      `json:"last_run_id"`
	CreatedAt     models.Time `json:"created_at"`
	UpdatedAt     models.Time `json:"updated_at"`
}

// ScheduleSettings are what can be set of a schedule. In a change, what is left out stays.
type ScheduleSettings struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Cron      *string `json:"cron,omitempty" maxLength:"200" doc:"Minute, hour, day, month and weekday: 30 7 * * 1-5."`
	Timezone  *string `json:"timezone,omitempty" maxLength:"64" doc:"IANA name, such as Europe/Berlin. Empty: UTC."`
	Text      *string `json:"text,omitempty" minLength:"1" maxLength:"100000" doc:"The message that the run is started with."`
	Agent     *string `json:"agent,omitempty"`
	Model     *string `json:"model,omitempty"`
	ProjectID *string `json:"project_id,omitempty"`
	Missed    *string `json:"missed,omitempty" enum:"skip,once" doc:"Of moments at which no server ran: none, or the last, is made up for."`
	Overlap   *string `json:"overlap,omitempty" enum:"skip,queue" doc:"While its last run is at work: leave the moment out, or start afterwards."`

	JitterSeconds *int  `json:"jitter_seconds,omitempty" minimum:"0" maximum:"3600"`
	Enabled       *bool `json:"enabled,omitempty" doc:"false: it is paused."`
}

// Firing is one time that a trigger was due.
type Firing struct {
	ID             string      `json:"id"`
	DueAt          models.Time `json:"due_at"`
	Outcome        string      `json:"outcome" enum:"started,skipped,failed"`
	Detail         string      `json:"detail" doc:"Why there is no run."`
	RunID          string      `json:"run_id"`
	ConversationID string      `json:"conversation_id"`
	CreatedAt      models.Time `json:"created_at"`
	Repeated       bool        `json:"repeated,omitempty" doc:"The request was there before: this is what came of it."`
}

type scheduleOutput struct{ Body Schedule }

type firingOutput struct{ Body Firing }

type firingsInput struct {
	PathID
	PageInput
}

func viewSchedule(m *models.Schedule) Schedule {
	return Schedule{ID: m.ID, Name: m.Name, Cron: m.Cron, Timezone: m.Timezone, Text: m.Text, Agent: m.Agent,
		Model: m.Model, ProjectID: m.ProjectID, Missed: m.Missed, Overlap: m.Overlap, JitterSeconds: m.JitterSeconds,
		Enabled: m.Enabled, Source: m.Source, NextAt: m.NextAt, LastRunID: m.LastRunID, CreatedAt: m.CreatedAt,
		UpdatedAt: m.UpdatedAt}
}

func viewFiring(m *models.Firing) Firing {
	return Firing{ID: m.ID, DueAt: m.DueAt, Outcome: m.Outcome, Detail: m.Detail, RunID: m.RunID,
		ConversationID: m.ConversationID, CreatedAt: m.CreatedAt}
}

func (s *server) registerSchedules() {
	const tag = "Triggers"
	handle(s, op("GET", "/schedules", "list-schedules", tag, "Schedules, last changed first"), s.listSchedules)
	handle(s, op("POST", "/schedules", "create-schedule", tag, "Start runs at times", status(http.StatusCreated),
		byPersons), s.createSchedule)
	handle(s, op("GET", "/schedules/{id}", "get-schedule", tag, "A schedule"), s.getSchedule)
	handle(s, op("PATCH", "/schedules/{id}", "change-schedule", tag, "Change, pause or resume a schedule", byPersons),
		s.changeSchedule)
	handle(s, op("DELETE", "/schedules/{id}", "delete-schedule", tag, "Delete a schedule with its history",
		describe("The conversations that it has started stay."), status(204), byPersons), s.deleteSchedule)
	handle(s, op("POST", "/schedules/{id}/run", "run-schedule", tag, "Start a schedule's run now",
		status(http.StatusAccepted)), s.runSchedule)
	handle(
		s,
		op("GET", "/schedules/{id}/firings", "list-schedule-firings", tag, "What came of a schedule, newest first"),
		s.listScheduleFirings,
	)
}

func (s *server) listSchedules(ctx context.Context, in *PageInput) (*listOutput[Schedule], error) {
	part, err := store.ListTriggers(ctx, s.Store, currentUser(ctx), in.page(),
		func(m models.Schedule) (models.Time, string) { return m.UpdatedAt, m.ID })
	if err != nil {
		return nil, err
	}
	return &listOutput[Schedule]{newList(part, viewSchedule)}, nil
}

func (s *server) schedule(ctx context.Context, id string) (*models.Schedule, error) {
	return store.GetTrigger[models.Schedule](ctx, s.Store, currentUser(ctx), id)
}

func (s *server) getSchedule(ctx context.Context, in *PathID) (*scheduleOutput, error) {
	found, err := s.schedule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &scheduleOutput{viewSchedule(found)}, nil
}

func (s *server) createSchedule(ctx context.Context, in *struct{ Body ScheduleSettings }) (*scheduleOutput, error) {
	made := &models.Schedule{ID: store.NewID(), UserID: currentUser(ctx), Enabled: true, Source: models.SourceAPI}
	for field, value := range map[string]*string{"name": in.Body.Name, "cron": in.Body.Cron, "text": in.Body.Text} {
		if value == nil {
			return nil, invalidField("body."+field, "it is missing")
		}
	}
	return s.saveSchedule(ctx, made, nil, in.Body)
}

func (s *server) changeSchedule(ctx context.Context, in *struct {
	PathID
	Body ScheduleSettings
}) (*scheduleOutput, error) {
	before, err := s.schedule(ctx, in.ID)
	if err == nil {
		err = ofConfig(before)
	}
	if err != nil {
		return nil, err
	}
	changed := *before
	return s.saveSchedule(ctx, &changed, before, in.Body)
}

func ofConfig(schedule *models.Schedule) error {
	if schedule.Source == models.SourceConfig {
		return newProblem(http.StatusConflict, "conflict", "this schedule stands in config.yml: change it there")
	}
	return nil
}

func (s *server) saveSchedule(ctx context.Context, made, before *models.Schedule,
	settings ScheduleSettings) (*scheduleOutput, error) {
	for _, one := range []struct {
		value *string
		into  *string
	}{{settings.Name, &made.Name}, {settings.Cron, &made.Cron}, {settings.Timezone, &made.Timezone},
		{settings.Missed, &made.Missed}, {settings.Overlap, &made.Overlap}} {
		if one.value != nil {
			*one.into = *one.value
		}
	}
	if settings.JitterSeconds != nil {
		made.JitterSeconds = *settings.JitterSeconds
	}
	if settings.Enabled != nil {
		made.Enabled = *settings.Enabled
	}
	err := s.setTarget(ctx, &made.Target, settings.Text, settings.Agent, settings.Model, settings.ProjectID)
	if err != nil {
		return nil, err
	}
	if err := s.Triggers.Plan(made, before); err != nil {
		return nil, invalidField("body.cron", err.Error())
	}
	if err := store.SaveTrigger(ctx, s.Store, made); err != nil {
		return nil, err
	}
	return &scheduleOutput{viewSchedule(made)}, nil
}

// setTarget sets what a trigger starts, where it is there.
func (s *server) setTarget(ctx context.Context, target *models.Target, text, agent, model, projectID *string) error {
	if text != nil {
		target.Text = *text
	}
	if agent != nil {
		if err := s.checkAgent(*agent); err != nil {
			return err
		}
		target.Agent = *agent
	}
	if model != nil {
		if err := s.checkModel(*model); err != nil {
			return err
		}
		target.Model = *model
	}
	if projectID != nil {
		if *projectID != "" {
			if _, err := s.Store.GetProject(ctx, currentUser(ctx), *projectID); err != nil {
				return err
			}
		}
		target.ProjectID = *projectID
	}
	return nil
}

func (s *server) deleteSchedule(ctx context.Context, in *PathID) (*struct{}, error) {
	found, err := s.schedule(ctx, in.ID)
	if err == nil {
		err = ofConfig(found)
	}
	if err != nil {
		return nil, err
	}
	return nil, store.DeleteTrigger[models.Schedule](ctx, s.Store, currentUser(ctx), in.ID)
}

func (s *server) runSchedule(ctx context.Context, in *PathID) (*firingOutput, error) {
	found, err := s.schedule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	firing, err := s.Triggers.RunNow(ctx, found)
	if err != nil {
		return nil, err
	}
	return &firingOutput{viewFiring(firing)}, nil
}

func (s *server) listScheduleFirings(ctx context.Context, in *firingsInput) (*listOutput[Firing], error) {
	if _, err := s.schedule(ctx, in.ID); err != nil {
		return nil, err
	}
	return s.firings(ctx, in)
}

func (s *server) firings(ctx context.Context, in *firingsInput) (*listOutput[Firing], error) {
	part, err := s.Store.Firings(ctx, in.ID, in.page())
	if err != nil {
		return nil, err
	}
	return &listOutput[Firing]{newList(part, viewFiring)}, nil
}
