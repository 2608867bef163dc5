// The text that a start of the demonstration prints: addresses, the key, and commands to paste into another terminal.
import { randomUUID } from 'node:crypto';
import { ChatbotGateway, type FormQuestion, type Slot, type StaffMember } from '../client/src/client.ts';
import { sampleAnswers } from './people.ts';
import type { Demo } from './seed.ts';
import { firstTemplateName } from './templates.ts';

const daysAhead = 14;

/** The first day with an open slot, so that the commands work on any day. */
async function firstOpenDay(
  gateway: ChatbotGateway,
  staff: StaffMember,
): Promise<{ date: string; slot: Slot } | undefined> {
  const today = Temporal.Now.plainDateISO(staff.timezone);
  for (let days = 1; days <= daysAhead; days++) {
    const date = today.add({ days }).toString();
    const { slots } = await gateway.listAvailableSlots({ appointmentUserId: staff._id, date });
    if (slots[0]) return { date, slot: slots[0] };
  }
  return undefined;
}

const answersFor = (questions: FormQuestion[]) =>
  questions
    .filter((question) => question.isRequired)
    .map(({ question, questionType, isRequired }) => ({
      question,
      questionType,
      isRequired,
      answer: sampleAnswers[questionType] ?? 'yes',
    }));

/** JSON for a shell's single quotes. */
const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;

async function sendLines(demo: Demo, gateway: ChatbotGateway): Promise<string[]> {
  const { items } = await gateway.listTemplates({ status: 'approved', search: firstTemplateName });
  if (!items[0]) return [];
  const recipient = {
    phone: '15550100001',
    name: 'Ada',
    variables: { '1': 'Ada', '2': 'A-1001', '3': 'on Friday' },
  };
  const body = { templateId: items[0]._id, recipients: [recipient] };
  const events = `${demo.sandbox.receiverUrl}/sandbox/events`;
  return [
    'Send a template:',
    `curl -s ${demo.baseUrl}/v1/templates/send -H 'X-API-Key: ${demo.apiKey}' -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(body)}`,
    '',
    'See the signed webhooks of its stages at the receiver:',
    `curl -s '${events}?status=read&wait=30' -o /dev/null; curl -s ${events}`,
    '',
  ];
}

async function bookLines(demo: Demo, gateway: ChatbotGateway): Promise<string[]> {
  const { items } = await gateway.listStaff();
  const staff = items[0];
  const open = staff && (await firstOpenDay(gateway, staff));
  if (!staff || !open) return [];
  const questions = await gateway.listFormQuestions({ appointmentUserId: staff._id });
  const booking = {
    appointmentUserId: staff._id,
    date: open.date,
    from: open.slot.from,
    to: open.slot.to,
    staticQuestionAnswers: answersFor(questions.items),
    email: 'ada@example.com',
    phoneNumber: '15550100001',
  };
  return [
    `List the open slots of ${staff.name}:`,
    `curl -s '${demo.baseUrl}/v1/appointments/available-slots?appointmentUserId=${staff._id}&date=${open.date}' -H 'X-API-Key: ${demo.apiKey}'`,
    '',
    'Book one, with a meeting link (if pasted twice, it stays one booking):',
    `curl -s ${demo.baseUrl}/v1/appointments/book -H 'X-API-Key: ${demo.apiKey}' -H 'Content-Type: application/json' \\`,
    `  -H 'Idempotency-Key: ${randomUUID()}' \\`,
    `  -d ${quoted(booking)}`,
    '',
  ];
}

/** No lines if a call fails, because the user may have changed or deleted anything in the account. */
const orNone = (lines: Promise<string[]>): Promise<string[]> => lines.catch(() => []);

const linkLifetimeSeconds = 86_400;

/** The lines of the pages: the sandbox's first, with a link that signs in once. */
async function dashboardLines(demo: Demo, gateway: ChatbotGateway): Promise<string[]> {
  const { url } = await gateway.createDashboardLink({
    body: { name: 'npm start', expiresInSeconds: linkLifetimeSeconds },
  });
  const sandboxUrl = url.replace('/#', '/sandbox#');
  return [
    `The sandbox is at       ${sandboxUrl}   (open it in a browser; the link works once)`,
    `The dashboard is at     ${demo.baseUrl}/`,
  ];
}

/** The whole text. */
export async function banner(demo: Demo): Promise<string> {
  const gateway = new ChatbotGateway(demo);
  const lines = [
    '',
    ...(await orNone(dashboardLines(demo, gateway))),
    `The gateway answers at  ${demo.baseUrl}      (its interface: ${demo.baseUrl}/docs)`,
    `Its API key is          ${demo.apiKey}`,
    `Webhooks arrive at      ${demo.sandbox.receiverUrl}   (open it in a browser)`,
    '',
    'Paste these into another terminal:',
    '',
    ...(await orNone(sendLines(demo, gateway))),
    ...(await orNone(bookLines(demo, gateway))),
    'Ctrl-C stops everything; the next start continues with the same data.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}
