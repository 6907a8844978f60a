import * as contract from "#core/contract/message.ts"
import { eventOf } from "../messages/compose.ts"
import { sendCommand } from "./send.ts"

export const sendEvent = sendCommand(contract.sendEvent, (input, { context }) =>
  eventOf(
    {
      name: input.name,
      description: input.description,
      startTime: input.start_time,
      endTime: input.end_time,
      joinLink: input.join_link,
      hasReminder: input.has_reminder,
      isScheduleCall: input.is_schedule_call,
      reminderOffsetSec: input.reminder_offset_sec,
    },
    context,
  ),
)
