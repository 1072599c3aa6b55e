package triggers

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"nanoclaw/internal/config"
	"nanoclaw/internal/crontab"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Plan checks a schedule, fills in what it leaves out, and sets its next moment where it is
// new or its times have changed. before is nil for a new one.
func (s *Service) Plan(schedule, before *models.Schedule) error {
	times, err := crontab.Parse(schedule.Cron, schedule.Timezone)
	if err != nil {
		return err
	}
	if schedule.Missed == "" {
		schedule.Missed = models.MissedSkip
	}
	if schedule.Overlap == "" {
		schedule.Overlap = models.OverlapSkip
	}
	now := models.TimeOf(s.Now())
	schedule.UpdatedAt = now
	if before == nil {
		schedule.CreatedAt = now
	}
	if before == nil || before.Cron != schedule.Cron || before.Timezone != schedule.Timezone ||
		!before.Enabled && schedule.Enabled {
		schedule.NextAt = models.TimeOf(times.Next(s.Now()))
	}
	return nil
}

// configured is the namespace of the ids of schedules of config.yml.
var configured = uuid.MustParse("5f6c0a3e-6a38-4f0b-9d0e-0d2f3c1b7a55")

// Sync makes the schedules of config.yml those that are stored.
func (s *Service) Sync(ctx context.Context, list []config.Schedule) error {
	stored, err := s.Store.SchedulesOf(ctx, models.SourceConfig)
	if err != nil {
		return err
	}
	var kept []string
	for _, one := range list {
		made := &models.Schedule{
			ID:     uuid.NewSHA1(configured, []byte(one.Name)).String(),
			UserID: models.LocalUserID, Name: one.Name, Cron: one.Cron, Timezone: one.Timezone,
			Target: models.Target{Agent: one.Agent, Model: one.Model, ProjectID: one.Project, Text: one.Text},
			Missed: one.Missed, Overlap: one.Overlap, JitterSeconds: int(one.Jitter.Std().Seconds()),
			Enabled: one.Enabled, Source: models.SourceConfig,
		}
		kept = append(kept, made.ID)
		var before *models.Schedule
		if i := slices.IndexFunc(stored, func(o *models.Schedule) bool { return o.ID == made.ID }); i >= 0 {
			before = stored[i]
			made.NextAt, made.LastRunID, made.CreatedAt = before.NextAt, before.LastRunID, before.CreatedAt
		}
		if err := s.Plan(made, before); err != nil {
			return err
		}
		if before != nil {
			made.UpdatedAt = before.UpdatedAt
			if *made == *before {
				continue
			}
			made.UpdatedAt = models.TimeOf(s.Now())
		}
		if err := store.SaveTrigger(ctx, s.Store, made); err != nil {
			return err
		}
	}
	for _, one := range stored {
		if !slices.Contains(kept, one.ID) {
			if err := store.DeleteTrigger[models.Schedule](ctx, s.Store, one.UserID, one.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
