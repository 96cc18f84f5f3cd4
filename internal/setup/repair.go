package setup

import "errors"

// Repair mends what is wrong with our hooks in settings, whatever it is: where a plugin brings them too they go, else
// they are written anew wherever they are, or were by their record, with the profile that they had. Those of which
// there is no record get the given one.
func Repair(c Config, profile Profile) error {
	all := c.sources()
	if ourPlugin(all) != "" {
		plan, err := PlanUninstall(c)
		if err != nil {
			return err
		}
		return Uninstall(c, plan)
	}
	records, _ := Records(c) // a damaged one has a finding of its own
	hooks, _ := sorted(records)
	s := state{Config: c, all: all, last: lastOf(hooks)}
	var errs []error
	for _, scope := range []Scope{ScopeUser, ScopeProject} {
		o := Options{Scope: scope, Profile: profile}
		path := c.settingsFile(scope)
		there := len(s.oursIn(path)) > 0
		for _, r := range s.last {
			if r.File == path {
				there, o.Profile = true, r.Profile
			}
		}
		if !there || path == "" {
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
