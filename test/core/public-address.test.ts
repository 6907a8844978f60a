import { expect, test } from "vitest"
import { mayName, mayReach } from "#core/fetch/reachable-addresses.ts"
import { config } from "#core/platform/config.ts"

config.URL_ALLOW = []

test.for([
  "127.0.0.1",
  "127.255.255.255",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "2001:db8::1",
  "3fff::1",
  "5f00::1",
  "100::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "not an address",
  "",
])("a stranger's URL may not reach %s", (address) => {
  expect(mayReach(address)).toBe(false)
})

test.for(["8.8.8.8", "1.1.1.1", "::ffff:8.8.8.8", "2606:4700::1111"])("it may reach %s", (address) => {
  expect(mayReach(address)).toBe(true)
})

test.for([
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "printer.local",
  "metadata.google.internal",
  "internal",
  "10.0.0.1",
  "[::1]",
  "[fd00::1]",
])("it may not name %s", (host) => expect(mayName(host)).toBe(false))

test.for(["example.com", "local.example.com", "mylocalhost.com", "8.8.8.8", "[2606:4700::1111]"])(
  "it may name %s",
  (host) => {
    expect(mayName(host)).toBe(true)
  },
)
