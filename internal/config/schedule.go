package config

import (
	"fmt"

	"nanoclaw/internal/crontab"
)

// Schedule starts a run at times.
type Schedule struct {
	Name     string   `yaml:"name" check:"required" doc:"Name in lists, and title of its conversations; unique."`
	Cron     string   `yaml:"cron" check:"required" doc:"Minute, hour, day, month and weekday, as in 30 7 * * 1-5; or @daily and the like."`
	Timezone string   `yaml:"timezone" doc:"IANA name of the time zone that cron is in, such as Europe/Berlin. Empty: UTC. A time that the change to summer time leaves out counts at its end; one that is there twice counts once, unless cron is for every hour."`
	Text     string   `yaml:"text" check:"required" doc:"Message that the run is started with."`
	Agent    string   `yaml:"agent" doc:"One of agents. Empty: the built-in one."`
	Model    string   `yaml:"model" doc:"One of models. Empty: the agent's."`
	Project  string   `yaml:"project" doc:"Id of the project to work in. Empty: none."`
	Missed   string   `yaml:"missed" check:"oneof=skip|once" doc:"What becomes of moments at which no server ran. skip: nothing. once: the last of them is made up for."`
	Overlap  string   `yaml:"overlap" check:"oneof=skip|queue" doc:"What happens while the last run is still at work. skip: nothing. queue: it starts afterwards; at most one waits."`
	Jitter   Duration `yaml:"jitter" check:"min=0s,max=1h" doc:"Every run is delayed by a part of this, so that many do not begin at once."`
	Enabled  bool     `yaml:"enabled" doc:"Off: it is paused."`
}

func (s *Schedule) setDefaults() { s.Missed, s.Overlap, s.Enabled = "skip", "skip", true }

func (ch *checker) checkSchedules(c *Config) {
	var names []string
	for i, one := range c.Schedules {
		path := indexPath("schedules", i)
		if len(one.Name) > 200 {
			ch.problem(path+".name", fmt.Sprintf("is %d bytes long: use at most 200", len(one.Name)))
		}
		ch.unique(path+".name", one.Name, names)
		names = append(names, one.Name)
		if one.Cron != "" {
			if _, err := crontab.Parse(one.Cron, one.Timezone); err != nil {
				ch.problem(path+".cron", err.Error())
			}
		}
	}
}
