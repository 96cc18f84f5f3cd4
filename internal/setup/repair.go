package setup

import (
	"errors"
	"slices"
)

// Repair fixes what is wrong with our hooks in settings, whatever it is: where a plugin brings them too they go, else
// they are written anew where they were put, with the profile that they had. The user's own get the given one if
// there is no record of them; those of a project of which there is none stay as they are.
func Repair(c Config, profile Profile) error {
	all := c.sources()
	if ourPlugin(all) != "" {
		plan, err := PlanUninstall(c)
		if err != nil {
			return err
		}
		plan.Steps = slices.DeleteFunc(plan.Steps, func(s Step) bool {
			return s.Server || len(s.Records) == 0 && s.File != c.settingsFile(ScopeUser)
		})
		return Uninstall(c, plan)
	}
	records, _ := Records(c) // a damaged one has a finding of its own
	hooks, _ := sorted(records)
	s := state{Config: c, all: all, last: lastOf(hooks)}
	var errs []error
	for _, scope := range []Scope{ScopeUser, ScopeProject} {
		o := Options{Scope: scope, Profile: profile}
		path := c.settingsFile(scope)
		there := scope == ScopeUser && len(s.oursIn(path)) > 0
		for _, r := range s.last {
			if r.File == path {
				there, o.Profile = true, r.Profile
			}
		}
		if !there {
			continue
		}
		plan, err := PlanInstall(c, o)
		if err == nil {
			_, err = Apply(c, plan)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
