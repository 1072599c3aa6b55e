package config

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// NATS is where work and events travel.
type NATS struct {
	URL         string  `yaml:"url" check:"natsurls" doc:"Addresses of NATS servers with JetStream, separated by commas, such as nats://a:4222,nats://b:4222; tls:// asks for TLS. Empty: a server in this process."`
	Credentials string  `yaml:"credentials" doc:"File with the credentials (.creds) of the NATS user. A relative path starts at the working directory."`
	User        string  `yaml:"user" doc:"User name, beside password."`
	Password    Secret  `yaml:"password" doc:"Password of user."`
	Token       Secret  `yaml:"token" doc:"Token, instead of credentials or user."`
	Prefix      string  `yaml:"prefix" check:"required,natsprefix" doc:"What the names of streams and subjects at url begin with. Installations with different prefixes can share servers."`
	Replicas    int     `yaml:"replicas" check:"min=0,max=5" doc:"Servers that hold a copy of each stream. 0: three where the servers form a cluster, else one."`
	TLS         NATSTLS `yaml:"tls" doc:"TLS to the servers at url."`
}

// NATSTLS are files in PEM format.
type NATSTLS struct {
	CA   string `yaml:"ca" doc:"File with the certificates of the authorities to trust. Empty: those of the system."`
	Cert string `yaml:"cert" doc:"File with this client's certificate, where the servers ask for one."`
	Key  string `yaml:"key" doc:"File with the key of cert."`
}

// Servers are the addresses of URL; none: NATS runs in this process.
func (n NATS) Servers() []string {
	var list []string
	for address := range strings.SplitSeq(n.URL, ",") {
		if address = strings.TrimSpace(address); address != "" {
			list = append(list, address)
		}
	}
	return list
}

// checkNATSURLs never quotes an address: it may hold a password.
func checkNATSURLs(text, _ string) error {
	for address := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		switch {
		case err == nil && u.User != nil:
			return errors.New("holds a user or a password: write them as user and password beside url")
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Path != "" ||
			u.RawQuery != "" || u.Fragment != "" || !isPort(u.Port()):
			return errors.New("is not a list of NATS addresses: write nats://host:4222 or tls://host:4222, " +
				"separated by commas")
		}
	}
	return nil
}

func isPort(text string) bool {
	if text == "" {
		return true
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

var natsPrefixPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func checkNATSPrefix(text, quote string) error {
	if !natsPrefixPattern.MatchString(text) {
		return errors.New(quote + " cannot begin names of streams: letters, digits, dashes and underscores, at most 32")
	}
	return nil
}

func (ch *checker) checkNATS(n NATS) {
	ways := 0
	for _, given := range []bool{n.Credentials != "", n.User != "", n.Token != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		ch.problem("nats", "names more than one way to sign in: keep one of credentials, user and token")
	case n.User == "" && n.Password != "":
		ch.problem("nats.password", "has no user: give nats.user beside it")
	}
	if (n.TLS.Cert == "") != (n.TLS.Key == "") {
		ch.problem("nats.tls", "needs both cert and key, or neither")
	}
	if n.URL == "" && (ways > 0 || n.TLS != NATSTLS{}) {
		ch.problem("nats.url", "is missing: nothing else of nats has an effect without it")
	}
}
