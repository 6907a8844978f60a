import type { z } from "zod"
import type { Tool } from "./server.ts"

/** A tool whose run takes what its input is parsed to. */
export function tool<Input extends z.ZodType>(
  its: Omit<Tool, "input" | "run"> & { input: Input; run: Tool<z.output<Input>>["run"] },
): Tool {
  // The server checks the input before it runs the tool.
  return its as unknown as Tool
}
