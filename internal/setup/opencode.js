// Remanence: memory for coding agents. "remanence install opencode" writes this file, "remanence uninstall" removes it.
// It runs "remanence hook opencode" for the events of a session and gives the model the text that the hook prints. No
// error reaches OpenCode, which waits only for text that is for the model, and for that no longer than a time limit.
import { spawn } from "node:child_process"

const command = @COMMAND@

// Time limits in milliseconds: of a prompt or a tool call, of a session's start, and of the end of OpenCode.
const limit = 5000
const startLimit = 10000
const endLimit = 3000
const pause = 60000 // after a time limit was exceeded; no events are passed on meanwhile

const within = (promise, ms) => {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, "")))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

let pausedUntil = 0

// run passes one event on. It resolves to the text for the model, "" if there is none, and never rejects.
const run = (payload, ms) =>
  new Promise((resolve) => {
    if (Date.now() < pausedUntil) return resolve("")
    let timer
    const end = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    try {
      const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      timer = setTimeout(() => {
        pausedUntil = Date.now() + pause
        end("")
        child.kill("SIGKILL")
      }, ms)
      const chunks = []
      child.on("error", () => end(""))
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.on("data", (chunk) => chunks.push(chunk))
      child.on("close", () => {
        try {
          end(JSON.parse(Buffer.concat(chunks).toString("utf8")).additionalContext || "")
        } catch {
          end("")
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      end("")
    }
  })

// safe returns a hook that throws nothing.
const safe = (hook) => async (...args) => {
  try {
    await hook(...args)
  } catch {}
}

// newPartID returns a unique ID that sorts before those of OpenCode, so that the prompt comes last.
const newPartID = () =>
  "prt_" + Date.now().toString(16).padStart(12, "0") + Math.random().toString(36).slice(2, 16).padEnd(14, "0")

export const Remanence = async ({ directory }) => {
  const sessions = new Map()
  const session = (id) => {
    if (!sessions.has(id)) {
      sessions.set(id, { queue: Promise.resolve(""), answer: [], notes: [], restored: "", failed: new Set() })
    }
    return sessions.get(id)
  }
  // send passes an event on after the earlier ones of its session.
  const send = (id, name, payload = {}, ms = limit) => {
    const s = session(id)
    s.queue = s.queue.then(() => run({ hook_event_name: name, session_id: id, directory, ...payload }, ms))
    return s.queue
  }
  const start = (id, name) => (session(id).start ??= send(id, name, {}, startLimit))

  // Sessions of subagents are not passed on: their prompts are those of the model, not of a person.
  const events = {
    "session.created": ({ sessionID, info }) => {
      if (info?.parentID) session(sessionID).ofSubagent = true
      else start(sessionID, "session.created")
    },
    "session.idle": ({ sessionID }) => {
      const s = session(sessionID)
      if (!s.start || s.ofSubagent) return
      send(sessionID, "session.idle", { text: s.answer.splice(0).join("\n\n") })
    },
    "session.compacted": ({ sessionID }) => {
      const s = session(sessionID)
      if (s.ofSubagent) return
      s.compacting = false
      send(sessionID, "session.compacted")
      send(sessionID, "session.restored", {}, startLimit).then((text) => (s.restored = text))
    },
    // A tool call that failed is reported nowhere else, and here several times.
    "message.part.updated": ({ part }) => {
      if (part?.type !== "tool" || part.state?.status !== "error") return
      const s = session(part.sessionID)
      if (s.ofSubagent || s.failed.has(part.callID)) return
      s.failed.add(part.callID)
      const { type, tool, callID, state } = part
      const failure = { type, tool, callID, state: { status: "error", input: state.input, error: state.error } }
      send(part.sessionID, "message.part.updated", { properties: { part: failure } }).then((text) => {
        if (text) s.notes.push(text)
      })
    },
  }

  return {
    event: safe(({ event }) => events[event.type]?.(event.properties)),

    "chat.message": safe(async ({ sessionID }, output) => {
      const s = session(sessionID)
      if (s.ofSubagent) return
      const briefing = s.briefed ? "" : within(start(sessionID, "session.resumed"), startLimit)
      s.briefed = true
      const { message, parts } = output
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const recall = send(sessionID, "chat.message", {
        output: { message: { model: message.model }, parts: typed.map(({ type, text }) => ({ type, text })) },
      })
      const text = [await briefing, await within(recall, limit)].filter(Boolean).join("\n\n")
      if (text) parts.push({ id: newPartID(), sessionID, messageID: message.id, type: "text", text, synthetic: true })
    }),

    "tool.execute.after": safe(async ({ tool, sessionID, callID, args }, output) => {
      if (session(sessionID).ofSubagent) return
      const { content, metadata } = output
      const result = { output: output.output, metadata: { exit: metadata?.exit } }
      if (Array.isArray(content)) result.content = content.filter((item) => item.type === "text")
      const sent = send(sessionID, "tool.execute.after", { input: { tool, callID, args }, output: result })
      const text = await within(sent, limit)
      if (!text) return
      if (typeof output.output === "string") output.output += "\n\n" + text
      else if (Array.isArray(content)) content.push({ type: "text", text })
    }),

    // The state after a compaction, and notes that have no place in the conversation, are part of the system prompt.
    "experimental.chat.system.transform": safe(async ({ sessionID }, output) => {
      const s = sessions.get(sessionID)
      if (!s || s.ofSubagent) return
      await within(s.queue, limit)
      output.system.push(...[s.restored, ...s.notes.splice(0)].filter(Boolean))
    }),

    // The answer of a turn is the texts of its last message.
    "experimental.text.complete": safe(({ sessionID, messageID }, { text }) => {
      const s = session(sessionID)
      if (s.compacting) return
      if (s.message !== messageID) s.answer = []
      s.message = messageID
      s.answer.push(text)
    }),

    "experimental.session.compacting": safe(({ sessionID }) => {
      const s = session(sessionID)
      if (s.ofSubagent) return
      s.compacting = true
      send(sessionID, "experimental.session.compacting")
    }),

    dispose: safe(async () => {
      const ends = []
      for (const [id, s] of sessions) if (s.start && !s.ofSubagent) ends.push(send(id, "dispose"))
      await within(Promise.all(ends), endLimit)
    }),
  }
}
