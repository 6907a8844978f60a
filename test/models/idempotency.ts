import type { Model } from "./explore.ts"
import {
  asDesigned,
  type Faults,
  type Harm,
  type Job,
  noFaults,
  noJob,
  noRecord,
  type Request,
  type Rules,
  type Send,
  type Sends,
} from "./idempotency-state.ts"

export function sends(input: {
  requests: number
  faults: Partial<Faults>
  rules?: Partial<Rules>
}): Model<Sends, Harm> {
  const rules = { ...asDesigned, ...input.rules }

  return {
    start: {
      record: { state: "none", holder: 0, isLeased: false, isExpired: false, id: 0 },
      ids: 0,
      sends: Array.from({ length: input.requests + 1 }, () => ({
        row: "none",
        wire: "never",
        ackUnread: false,
        nackUnread: false,
        isOld: false,
      })),
      requests: Array.from({ length: input.requests }, () => ({ at: "new", id: 0, answer: "none" })),
      jobs: [noJob(), noJob()],
      owner: 0,
      login: 0,
      left: { ...noFaults, ...input.faults },
      harm: "",
    },
    stuck: "a request never ends",
    settled: (now) => now.requests.every((request) => request.at === "end"),
    harm: (now) => {
      if (now.harm) return now.harm
      const shown = now.sends.filter((send) => send.wire === "accepted" && !send.isOld)
      return shown.length > 1 ? "two messages for one key" : undefined
    },
    next: (now, step, fault) => {
      // Requests are alike, so they come in the order of their numbers.
      const first = now.requests.findIndex((request) => request.at === "new")
      if (first !== -1) claim(first)
      for (const [i, request] of now.requests.entries()) {
        call(i, request)
        conclude(i, request)
        if (now.left.apiCrashes > 0 && request.at !== "new" && request.at !== "end")
          fault(`the API dies in request ${i + 1}`, (next) => {
            next.left.apiCrashes--
            next.requests[i]!.at = "end"
          })
      }
      for (const h of [0, 1] as const) {
        work(h)
        failHost(h)
      }
      hearLate()
      takeOver()
      passTime()

      /** One conditional update. While another request holds the key: 409, and the client comes again. */
      function claim(i: number) {
        const { record } = now
        const take = (label: string, isNew: boolean) =>
          step(`request ${i + 1} ${label}`, (next) => {
            const id = isNew ? ++next.ids : record.id
            if (record.isExpired) for (const [n, send] of next.sends.entries()) send.isOld = n < id
            next.record = { state: "inflight", holder: i + 1, isLeased: true, isExpired: false, id }
            next.requests[i] = { at: "call", id, answer: "none" }
          })
        if (record.state === "none") return take("claims", true)
        if (record.isLeased) return
        if (record.isExpired) return take("replaces what has expired", true)
        if (record.state === "inflight") return take("takes over", !rules.keepsId)
        step(`request ${i + 1} is answered from the record`, (next) => {
          next.requests[i]!.at = "end"
          if (now.sends[record.id]!.wire !== "accepted") next.harm = "told sent, but not accepted"
        })
      }

      function call(i: number, { at, id }: Request) {
        if (at !== "call" || now.login !== now.owner) return
        const job = now.jobs[now.owner]!
        const answer = (label: string, answer: Request["answer"]) =>
          step(`request ${i + 1} ${label}`, (next) => {
            next.requests[i] = { at: "answer", id, answer }
          })
        if (job.sleeps) return answer("gets no answer", "unknown")
        const isInTime = now.record.isLeased && now.record.holder === i + 1
        if (rules.refusesLateCalls && !isInTime) return answer("reaches its host too late", "unknown")
        if (job.at === "none")
          return step(`request ${i + 1} reaches host ${now.owner + 1}`, (next) => {
            next.requests[i]!.at = "wait"
            next.jobs[now.owner] = { ...noJob(), at: "start", id, request: i + 1 }
          })
        // A session does one of these at a time. One with the same id is "in flight"; for another, time runs out.
        answer("finds it under way", "unknown")
      }

      /** The API has an answer: it puts the record right, then tells its client. */
      function conclude(i: number, { at, id, answer }: Request) {
        if (at === "wait" && !now.jobs.some((job) => job.request === i + 1))
          step(`request ${i + 1} gets no answer`, (next) => {
            next.requests[i] = { at: "answer", id, answer: "unknown" }
          })
        if (at !== "answer") return
        const isMine = now.record.state === "inflight" && now.record.holder === i + 1
        const tell = (label: string, change: (next: Sends) => void) =>
          step(`request ${i + 1} ${label}`, (next) => {
            next.requests[i]!.at = "end"
            change(next)
          })
        if (answer === "sent")
          tell("is told sent", (next) => {
            if (now.sends[id]!.wire !== "accepted") next.harm = "told sent, but not accepted"
          })
        if (answer === "unknown")
          tell("is told that it is not known", (next) => {
            if (isMine && rules.keepsUnknown) Object.assign(next.record, { holder: 0, isLeased: false })
            if (isMine && !rules.keepsUnknown) next.record = noRecord()
          })
        if (answer === "failed" && !isMine && rules.failsOnlyAsHolder)
          tell("was taken over, so it is told that it is not known", () => {})
        if (answer === "failed" && (isMine || !rules.failsOnlyAsHolder))
          tell("is told failed, and the key is free", (next) => {
            if (isMine) next.record = noRecord()
            next.requests[i]!.answer = "failed"
            if (now.sends[id]!.wire === "accepted") next.harm = "told failed, but shown"
          })
      }

      /** The host's way of a send. */
      function work(h: 0 | 1) {
        const job = now.jobs[h]!
        if (job.at === "none" || job.sleeps) return
        const send = now.sends[job.id]!
        const isOwner = now.owner === h
        const go = (label: string, at: Job["at"], change?: (next: Sends) => void) =>
          step(`host ${h + 1} ${label}`, (next) => {
            next.jobs[h]!.at = at
            change?.(next)
          })
        const answer = (label: string, answer: Request["answer"], change?: (next: Sends) => void) =>
          go(label, "none", (next) => {
            change?.(next)
            next.jobs[h] = noJob()
            const request = next.requests[job.request - 1]
            if (request?.at === "wait") Object.assign(request, { at: "answer", answer })
          })
        /** A commit is made under the lease check, or the session ends. */
        const commit = (label: string, at: Job["at"], row: Send["row"]) => {
          if (!isOwner) return answer(`is fenced when it ${label}`, "unknown")
          go(label, at, (next) => {
            next.sends[job.id]!.row = row
          })
        }

        switch (job.at) {
          case "start":
            if (send.row === "none") go("finds no SEND row", "prepare")
            if (send.row === "acked") go("finds SEND acked", "complete")
            if (send.row === "failed") answer("finds SEND failed", "failed")
            if (send.row === "sent")
              go("finds SEND sent and resolves", "wire", (next) => {
                next.jobs[h]!.resolves = true
              })
            break
          case "prepare":
            if (rules.writesFirst) commit("writes ratchet and SEND sent", "wire", "sent")
            if (!rules.writesFirst) go("sends first", "wire")
            if (now.left.refusals > 0)
              answer("finds that it cannot be sent", "failed", (next) => {
                next.left.refusals--
              })
            break
          case "wire":
            transmit()
            break
          case "verdict":
            hear()
            break
          case "acked":
            commit("writes SEND acked", "complete", "acked")
            break
          case "refused":
            if (!isOwner) answer("is fenced when it writes SEND failed", "unknown")
            if (isOwner)
              answer("writes SEND failed", "failed", (next) => {
                next.sends[job.id]!.row = "failed"
              })
            break
          case "complete":
            answer("completes the record", "sent", (next) => {
              if (now.record.id !== job.id || now.record.state === "none") return
              next.record = { ...now.record, state: "done", holder: 0, isLeased: false, isExpired: false }
            })
            break
        }

        function transmit() {
          if (now.login !== h) return answer("has lost its socket to a newer login", "unknown")
          go("sends the stanza, which is accepted", "verdict", (next) => {
            Object.assign(next.sends[job.id]!, { wire: "accepted", ackUnread: true })
          })
          if (now.left.nacks > 0)
            go("sends the stanza, which is refused", "verdict", (next) => {
              next.left.nacks--
              const sent = next.sends[job.id]!
              sent.nackUnread = true
              if (sent.wire === "never") sent.wire = "refused"
            })
          if (now.left.cuts > 0)
            fault(`the connection of host ${h + 1} breaks before the stanza is out`, (next) => {
              next.left.cuts--
              next.jobs[h]!.at = "verdict"
            })
          if (!rules.failsOnlyWhenSure && now.left.refusals > 0)
            answer("finds that it cannot be sent after all", "failed", (next) => {
              next.left.refusals--
            })
        }

        /** Verdicts name a message id, not a transmission. */
        function hear() {
          if (send.ackUnread)
            go("hears the ack", "acked", (next) => {
              next.sends[job.id]!.ackUnread = false
            })
          if (send.nackUnread) {
            const read = (next: Sends) => {
              next.sends[job.id]!.nackUnread = false
            }
            if (job.resolves && rules.failsOnlyWhenSure)
              answer("hears a nack, of which transmission is not known", "unknown", read)
            if (!job.resolves || !rules.failsOnlyWhenSure) go("hears the nack", "refused", read)
          }
          // The client is answered after 15 s; the host goes on listening until it has something else to do.
          answer("hears nothing for 15 s", "unknown")
        }
      }

      function failHost(h: 0 | 1) {
        const job = now.jobs[h]!
        if (job.at === "none") return
        if (now.left.hostCrashes > 0)
          fault(`host ${h + 1} dies`, (next) => {
            next.left.hostCrashes--
            next.jobs[h] = noJob()
            // The network's verdicts went to the dead host's connection.
            for (const send of next.sends) Object.assign(send, { ackUnread: false, nackUnread: false })
          })
        if (now.left.hostSleeps > 0 && h === 0 && now.owner === 0 && !job.sleeps)
          fault("host 1 stands still", (next) => {
            next.left.hostSleeps--
            next.jobs[0]!.sleeps = true
          })
      }

      /** A late ack, a delivery receipt or an echo still counts. */
      function hearLate() {
        for (const [id, send] of now.sends.entries())
          if (send.ackUnread && send.row === "sent" && now.jobs[now.owner]!.id !== id)
            step(`host ${now.owner + 1} hears late of ${id} and writes SEND acked`, (next) => {
              Object.assign(next.sends[id]!, { row: "acked", ackUnread: false })
            })
      }

      /** The lease of a host that stands still is taken. The host resumes at any time, and is fenced. */
      function takeOver() {
        const { sleeps } = now.jobs[0]!
        if (now.owner === 0 && sleeps)
          step("host 2 takes over", (next) => {
            next.owner = 1
          })
        if (now.owner === 1 && now.login === 0)
          step("host 2 logs in", (next) => {
            next.login = 1
            // The network's verdicts went to the other connection.
            for (const send of next.sends) Object.assign(send, { ackUnread: false, nackUnread: false })
          })
        if (now.owner === 1 && sleeps)
          step("host 1 goes on", (next) => {
            next.jobs[0]!.sleeps = false
          })
      }

      function passTime() {
        const { record } = now
        if (record.state === "inflight" && record.isLeased)
          step("the claim runs out", (next) => {
            next.record.isLeased = false
          })
        if (now.left.days > 0 && record.state !== "none" && !record.isExpired)
          fault("24 hours pass", (next) => {
            next.left.days--
            next.record.isExpired = true
          })
      }
    },
  }
}
