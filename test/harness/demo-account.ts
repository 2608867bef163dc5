// Helpers for tests of the demo account: a send and a booking over the public API.
import { randomUUID } from 'node:crypto';
import { sampleAnswers } from '../../demo/people.ts';
import { firstTemplateName } from '../../demo/templates.ts';
import type { Call } from './gateway-client.ts';

export interface Staff {
  _id: string;
  name: string;
  timezone: string;
  calendarConnected: boolean;
}

export interface Question {
  question: string;
  questionType: string;
  isRequired: boolean;
}

export interface SentMessage {
  id: string;
  messageId: string | null;
  status: string;
}

/** Sends the plain template to one phone; returns the message. */
export async function sendTo(gateway: Call, phone: string): Promise<SentMessage> {
  const path = `/v1/templates?status=approved&search=${firstTemplateName}`;
  const { items } = await gateway<{ items: { _id: string }[] }>('GET', path);
  const recipients = [{ phone, variables: { '1': 'Ada', '2': 'A-1', '3': 'on Friday' } }];
  const { messages } = await gateway<{ messages: SentMessage[] }>('POST', '/v1/templates/send', {
    templateId: items[0]?._id,
    recipients,
  });
  return messages[0] as SentMessage;
}

/** Books the first open slot of the next two weeks. */
export async function bookFirst(gateway: Call, staffId: string): Promise<Record<string, unknown>> {
  const ofStaff = `appointmentUserId=${staffId}`;
  const questions = await gateway<{ items: Question[] }>('GET', `/v1/appointments/form-questions?${ofStaff}`);
  for (let days = 1; days <= 14; days += 1) {
    const date = Temporal.Now.plainDateISO('UTC').add({ days }).toString();
    const path = `/v1/appointments/available-slots?${ofStaff}&date=${date}`;
    const { slots } = await gateway<{ slots: { from: string; to: string }[] }>('GET', path);
    if (!slots[0]) continue;
    const booking = {
      appointmentUserId: staffId,
      date,
      from: slots[0].from,
      to: slots[0].to,
      staticQuestionAnswers: questions.items
        .filter(({ isRequired }) => isRequired)
        .map(({ question, questionType }) => ({
          question,
          questionType,
          answer: sampleAnswers[questionType],
        })),
      email: 'ada@example.com',
      phoneNumber: '15550100009',
    };
    return gateway('POST', '/v1/appointments/book', booking, { 'Idempotency-Key': randomUUID() });
  }
  throw new Error(`${staffId} has no open slot in two weeks.`);
}
