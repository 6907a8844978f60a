import type { Model } from "./explore.ts"

/**
 * One bridge, its lease, two hosts and the sweep, as in `core/lease/lease.ts` and `core/lease/host.ts`. A host's session is the
 * epoch under which it took the lease. The API may pause the bridge without its holder hearing of it.
 */
export interface Leases {
  lease: { host: Name | "FREE" | "NONE"; epoch: number }
  hosts: Record<Name, Host>
  sweep: {
    /** The host that it observes or, once it is marked, whose leases it takes. */
    of: Name | "nobody"
    at: "observed" | "marked"
    /** A beat came after the observation, so `version` is not the one seen. */
    hasBeaten: boolean
  }
  /** The newest epoch that wrote anything. */
  written: number
  left: Faults
  harm: Harm | ""
}

type Name = "A" | "B"

interface Host {
  /** `asleep`: SIGSTOP, or cut off. `woken`: runs again, but has not looked at its leases yet. */
  process: "none" | "up" | "asleep" | "woken"
  /** The state in its row. */
  row: "starting" | "up" | "draining" | "dead"
  /** It has beaten in the last 10 s, as far as it knows. */
  beats: boolean
  /** The epoch of its session; 0 for none. */
  session: number
  /** The session is over, but its lease is not given back yet. */
  isEnding: boolean
  /** Its lease was its own at its last look, right before it connects. */
  hasLooked: boolean
  connection: "none" | "open" | "replaced"
  /** The epoch of a free lease that it is about to take; 0 for none. */
  wants: number
}

export type Harm =
  | "an old epoch wrote after a newer one"
  | "a host that beats was robbed"
  | "a rightful owner was thrown out"
  | "an orphan, or a stopped bridge connected"

/** How often each fault may happen. */
export interface Faults {
  kills: number
  /** A host stands still, and goes on. */
  sleeps: number
  /** A session ends by its own error on a living host. */
  ends: number
  /** A session is forgotten, so its end gives nothing back; or a lease was taken, but the answer was lost. */
  forgotten: number
  pauses: number
  drains: number
  /** The index shows an old state, so a dead host's lease is not found at the first look. */
  lateIndex: number
}

export interface Rules {
  /** A commit checks that the lease is still its host's, in its epoch. */
  checksCommits: boolean
  /** Declaring a host dead and freeing its leases check that it has not beaten since. */
  checksVersion: boolean
  /** A host compares what it holds with what it runs. */
  agrees: boolean
  /** A session that has ended gives its lease back. */
  letsGo: boolean
  /** The leases of a marked host are looked for again, under its version of that time. */
  asksAgain: boolean
  /** A session proves that its lease is its own right before it connects. */
  looksFirst: boolean
  /** A host that stood still reads its leases before anything else. */
  looksAfterSleep: boolean
  /** A session that was replaced by another login reads its lease before it reconnects. */
  looksWhenReplaced: boolean
}

const asDesigned: Rules = {
  checksCommits: true,
  checksVersion: true,
  agrees: true,
  letsGo: true,
  asksAgain: true,
  looksFirst: true,
  looksAfterSleep: true,
  looksWhenReplaced: true,
}

const noFaults: Faults = {
  kills: 0,
  sleeps: 0,
  ends: 0,
  forgotten: 0,
  pauses: 0,
  drains: 0,
  lateIndex: 0,
}

/** A has just started, and its row is `starting`; B is up. The bridge is new, so its lease is free. */
export function leases(faults: Partial<Faults>, changed: Partial<Rules> = {}): Model<Leases, Harm> {
  const rules = { ...asDesigned, ...changed }

  return {
    start: {
      lease: { host: "FREE", epoch: 1 },
      hosts: { A: starting(), B: { ...starting(), row: "up", beats: true } },
      sweep: atRest(),
      written: 0,
      left: { ...noFaults, ...faults },
      harm: "",
    },
    harm: (now) => now.harm,
    stuck: "an orphan, or a stopped bridge connected",
    settled: ({ lease, hosts }) => {
      if (lease.host === "FREE") return false
      const others = lease.host === "A" ? [hosts.B] : lease.host === "B" ? [hosts.A] : [hosts.A, hosts.B]
      if (others.some((host) => host.connection === "open")) return false
      if (lease.host === "NONE") return true
      const holder = hosts[lease.host]
      return holder.process === "up" && holder.session === lease.epoch && holder.connection !== "none"
    },
    next: (now, step, fault) => {
      for (const name of ["A", "B"] as const) {
        live(name)
        run(name)
        fail(name)
        observe(name)
      }
      sweep()
      callApi()

      /** Whether the lease is this host's, in the epoch of its session. */
      function isMine(name: Name): boolean {
        const { session } = now.hosts[name]
        return now.lease.host === name && now.lease.epoch === session
      }

      /** The host itself: beats, takes, compares, gives back. */
      function live(name: Name) {
        const host = now.hosts[name]
        const other = name === "A" ? "B" : "A"
        if (host.process === "woken")
          step(`${name} reads its leases first`, (next) => {
            next.hosts[name].process = "up"
            if (host.session && !isMine(name)) stop(next.hosts[name])
          })
        if (host.process !== "up") return

        const isNews = host.row !== "up" || !host.beats || (now.sweep.of === name && !now.sweep.hasBeaten)
        if (isNews)
          step(`${name} beats`, (next) => {
            if (now.sweep.of === name) next.sweep.hasBeaten = true
            next.hosts[name].beats = true
            if (host.row === "starting") next.hosts[name].row = "up"
            // It ends itself as if it were killed: nothing is given back.
            if (host.row === "dead") next.hosts[name] = { ...starting(), process: "none", row: "dead" }
            if (host.row === "draining" && host.session) end(next.hosts[name])
          })

        const mayTake = host.row === "up" && host.beats && !host.session && !host.wants
        if (now.lease.host === "FREE" && mayTake)
          step(`${name} finds the lease free`, (next) => {
            next.hosts[name].wants = now.lease.epoch
          })
        if (host.wants) take(name)

        if (host.isEnding)
          step(`${name} lets go of its lease`, (next) => {
            Object.assign(next.hosts[name], { session: 0, isEnding: false })
            if (rules.letsGo && isMine(name)) free(next)
          })

        if (!rules.agrees) return
        const isNamed = now.lease.host === name
        if (isNamed && !host.session && rules.letsGo)
          step(`${name} is named but does not run it: lets go`, free)
        if (host.session && !host.isEnding && !isMine(name))
          step(`${name} runs it but is not named: stops`, (next) => stop(next.hosts[name]))
        if (host.row === "draining" && !host.session && !isNamed && now.hosts[other].row === "up")
          step(`${name} has drained and ends`, (next) => {
            next.hosts[name] = { ...starting(), process: "none", row: "dead" }
          })
      }

      function take(name: Name) {
        const { wants } = now.hosts[name]
        const succeeds = now.lease.host === "FREE" && now.lease.epoch === wants
        const taken = (next: Leases) => {
          next.hosts[name].wants = 0
          if (succeeds) next.lease = { host: name, epoch: wants + 1 }
        }
        step(`${name} ${succeeds ? "takes the lease" : "is too late to take it"}`, (next) => {
          taken(next)
          if (succeeds) Object.assign(next.hosts[name], { session: wants + 1, hasLooked: !rules.looksFirst })
        })
        if (succeeds && now.left.forgotten > 0)
          fault(`${name} takes the lease and never hears of it`, (next) => {
            taken(next)
            next.left.forgotten--
          })
      }

      /** A host's session: connects, commits, is replaced. */
      function run(name: Name) {
        const host = now.hosts[name]
        const other = name === "A" ? "B" : "A"
        if (host.process !== "up" || !host.session || host.isEnding) return

        if (host.connection === "none" && !host.hasLooked)
          step(`${name} commits nothing, to see whether it may connect`, (next) => {
            if (isMine(name)) next.hosts[name].hasLooked = true
            if (!isMine(name)) stop(next.hosts[name])
          })
        // Only milliseconds lie between look and login, and nobody else takes over in them unless the host stands still
        // there.
        const rival = now.hosts[other]
        const isRivalAtIt =
          rules.looksFirst && rival.process === "up" && rival.hasLooked && rival.connection === "none"
        if (host.connection === "none" && host.hasLooked && !isRivalAtIt)
          step(`${name} connects`, (next) => connect(next, name, other))
        if (host.connection === "replaced" && !rules.looksWhenReplaced)
          step(`${name} was replaced and connects again`, (next) => connect(next, name, other))
        if (host.connection === "replaced" && rules.looksWhenReplaced && !isMine(name))
          step(`${name} was replaced, reads its lease and stops`, (next) => stop(next.hosts[name]))

        if (!rules.checksCommits || isMine(name)) {
          // A second write by the same session changes nothing. An idle session writes nothing, so nothing may depend
          // on a commit.
          if (now.written !== host.session)
            fault(`${name} commits`, (next) => {
              if (host.session < now.written) next.harm = "an old epoch wrote after a newer one"
              next.written = host.session
            })
          return
        }
        fault(`${name} commits and is fenced`, (next) => stop(next.hosts[name]))
      }

      /** The network keeps the newest login. */
      function connect(next: Leases, name: Name, other: Name) {
        next.hosts[name].connection = "open"
        if (now.hosts[other].connection !== "open") return
        next.hosts[other].connection = "replaced"
        const owner = now.hosts[other]
        const isOwner = now.lease.host === other && now.lease.epoch === owner.session
        if (isOwner && owner.process === "up") next.harm = "a rightful owner was thrown out"
      }

      function fail(name: Name) {
        const host = now.hosts[name]
        const { left } = now
        if (host.process === "asleep")
          step(`${name} wakes`, (next) => {
            next.hosts[name].process = rules.looksAfterSleep ? "woken" : "up"
          })
        if (host.process === "none") return
        if (left.kills > 0)
          fault(`${name} is killed`, (next) => {
            next.left.kills--
            next.hosts[name] = { ...starting(), process: "none", row: host.row }
          })
        if (left.drains > 0 && (host.row === "up" || host.row === "starting"))
          fault(`${name} is to drain`, (next) => {
            next.left.drains--
            next.hosts[name].row = "draining"
          })
        if (host.process !== "up") return
        if (left.sleeps > 0)
          fault(`${name} stands still`, (next) => {
            next.left.sleeps--
            Object.assign(next.hosts[name], { process: "asleep", beats: false })
          })
        if (!host.session || host.isEnding) return
        if (left.ends > 0)
          fault(`the session of ${name} ends by its own error`, (next) => {
            next.left.ends--
            end(next.hosts[name])
          })
        if (left.forgotten > 0)
          fault(`${name} forgets its session`, (next) => {
            next.left.forgotten--
            stop(next.hosts[name])
          })
      }

      /**
       * Its version has not changed for 20 s, or for 5 minutes while it is starting. That happens only to a host that
       * does not beat.
       */
      function observe(name: Name) {
        const host = now.hosts[name]
        const isSilent = host.process === "asleep" || host.process === "none" || host.row === "starting"
        if (host.row === "dead" || !isSilent || now.sweep.of !== "nobody") return
        step(`the sweep sees that ${name} does not beat`, (next) => {
          next.sweep = { of: name, at: "observed", hasBeaten: false }
        })
      }

      function sweep() {
        const { of, at, hasBeaten } = now.sweep
        if (of === "nobody") {
          for (const name of ["A", "B"] as const) lookAgain(name)
          return
        }
        const isRefused = hasBeaten && rules.checksVersion
        if (at === "observed")
          step(`the sweep declares ${of} ${isRefused ? "dead, in vain" : "dead"}`, (next) => {
            if (isRefused) next.sweep = atRest()
            if (isRefused) return
            next.sweep.at = "marked"
            next.hosts[of].row = "dead"
            if (hasBeaten) next.harm = "a host that beats was robbed"
          })
        if (at === "observed") return
        step(`the sweep takes the lease from ${of}${isRefused ? ", in vain" : ""}`, (next) => {
          next.sweep = atRest()
          if (!isRefused && now.lease.host === of) free(next)
        })
        if (now.left.lateIndex > 0)
          fault(`the sweep finds no lease of ${of} in the index`, (next) => {
            next.left.lateIndex--
            next.sweep = atRest()
          })
      }

      function lookAgain(name: Name) {
        const { row, process } = now.hosts[name]
        if (row !== "dead") return
        if (now.lease.host === name && rules.asksAgain)
          step(`the sweep asks again for what ${name} held`, (next) => {
            next.sweep = { of: name, at: "marked", hasBeaten: false }
          })
        if (now.lease.host !== name && process === "none")
          step(`the sweep starts a host in place of ${name}`, (next) => {
            next.hosts[name] = starting()
          })
      }

      function callApi() {
        if (now.left.pauses > 0 && now.lease.host !== "NONE")
          fault("the API pauses the bridge, and its holder does not hear", (next) => {
            next.left.pauses--
            next.lease = { host: "NONE", epoch: now.lease.epoch + 1 }
          })
        if (now.lease.host === "NONE") fault("the API wakes the bridge", (next) => free(next))
      }
    },
  }
}

/** Every change of `host` raises `epoch`. */
function free(next: Leases) {
  next.lease = { host: "FREE", epoch: next.lease.epoch + 1 }
}

function end(host: Host) {
  Object.assign(host, { isEnding: true, connection: "none", hasLooked: false })
}

function stop(host: Host) {
  Object.assign(host, { session: 0, isEnding: false, connection: "none", hasLooked: false })
}

function starting(): Host {
  return {
    process: "up",
    row: "starting",
    beats: false,
    session: 0,
    isEnding: false,
    hasLooked: false,
    connection: "none",
    wants: 0,
  }
}

function atRest(): Leases["sweep"] {
  return { of: "nobody", at: "observed", hasBeaten: false }
}
