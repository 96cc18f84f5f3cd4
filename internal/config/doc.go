// Package config knows where the files of one user lie and what the configuration
// file and the environment set. It opens no database and asks no network.
package config
