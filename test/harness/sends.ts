// Helpers for tests of sends: templates of every kind, send calls, waiting for the last stage, and stored files.
import { expect } from 'vitest';
import type { TemplateSeed } from '../../sandbox/control.ts';
import { paceWindowsMs } from '../../src/messaging/dispatch/pacer.ts';
import type { Answer, Gateway } from './gateway.ts';
import { until } from './until.ts';

export interface SentMessage {
  id: string;
  messageId: string | null;
  recipientPhone: string;
  name: string | null;
  status: 'accepted' | 'failed' | 'queued';
  error: { code: number; title: string; message: string } | null;
}

export interface SendData {
  sendId: string;
  templateId: string;
  total: number;
  accepted: number;
  failed: number;
  queued: number;
  messages: SentMessage[];
}

export interface MessageData {
  id: string;
  messageId: string | null;
  status: string;
  error: SentMessage['error'];
  attempts: number;
  priceCategory: string | null;
  billable: boolean | null;
  text: string | null;
  textSource: 'sent' | 'later' | null;
  metadata: Record<string, string> | null;
  timeline: { status: string; at: string; platformTimestamp: string | null; implied: boolean }[];
  deliveries: { status: string; messageId: string; event: string }[];
}

type Seed = Omit<TemplateSeed, 'wabaId'>;
const seed = (name: string, components: Seed['components'], more: Partial<Seed> = {}): Seed => ({
  name,
  components,
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  ...more,
});
const body = (text: string) => ({ type: 'BODY', text });
const hello = body('Hello there.');

/** One template of each supported kind. */
export const templateKinds: Seed[] = [
  seed('plain', [hello]),
  seed('order_update', [
    {
      ...body('Hi {{1}}, order {{2}} arrives {{3}}.'),
      example: { body_text: [['Ada', 'A-1', 'Friday']] },
    },
  ]),
  seed(
    'sale',
    [
      { type: 'HEADER', format: 'TEXT', text: 'The {{1}} sale', example: { header_text: ['June'] } },
      body('Hi {{1}}, use {{2}}.'),
      { type: 'FOOTER', text: 'Reply stop to end' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Stop' },
          {
            type: 'URL',
            text: 'Open',
            url: 'https://shop.example/{{1}}',
            example: ['https://shop.example/a'],
          },
          { type: 'COPY_CODE', text: 'Copy', example: '250FF' },
        ],
      },
    ],
    { category: 'MARKETING' },
  ),
  seed('named', [body('Hi {{first_name}}, see you {{day}}.')], { parameterFormat: 'NAMED' }),
  seed(
    'sign_in_code',
    [
      { type: 'BODY', text: '{{1}} is your verification code.', add_security_recommendation: true },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Copy',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
          },
        ],
      },
    ],
    { category: 'AUTHENTICATION' },
  ),
  seed('bill', [{ type: 'HEADER', format: 'DOCUMENT' }, hello]),
  seed('photo', [{ type: 'HEADER', format: 'IMAGE' }, hello]),
  seed('meeting_point', [{ type: 'HEADER', format: 'LOCATION' }, hello]),
  seed('two_links', [
    hello,
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'A', url: 'https://a.example/{{1}}' },
        { type: 'URL', text: 'B', url: 'https://b.example/{{1}}' },
      ],
    },
  ]),
  seed('unknown_part', [hello, { type: 'HOLOGRAM' }]),
  seed('waiting', [hello], { status: 'PENDING' }),
  seed('refused', [hello], { status: 'REJECTED', rejectedReason: 'INVALID_FORMAT' }),
];

/** Sends a template; `recipients` may be bare phones. */
export function send(
  gateway: Gateway,
  request: {
    templateId: string;
    recipients: (string | Record<string, unknown>)[];
    [member: string]: unknown;
  },
  options: { headers?: Record<string, string>; key?: string; url?: string } = {},
): Promise<Answer<SendData>> {
  const recipients = request.recipients.map((one) => (typeof one === 'string' ? { phone: one } : one));
  return gateway.call<SendData>('POST', '/v1/templates/send', {
    body: { ...request, recipients },
    ...options,
  });
}

/** Waits until the receiver has the message's `last` stage; returns all received stages in order of arrival. */
export async function stagesUntil(gateway: Gateway, messageId: string, last: string): Promise<string[]> {
  const [came] = await gateway.receiver.events({ messageId, status: last, waitSeconds: 30 });
  if (!came) throw new Error(`no ${last} of ${messageId} came`);
  const events = await gateway.receiver.events({ messageId });
  if (!events.every((event) => event.verified)) throw new Error('an event is not rightly signed');
  return events.map((event) => (event.json as { data: { status: string } }).data.status);
}

/** A message from the API. */
export async function messageOf(gateway: Gateway, id: string): Promise<MessageData> {
  return (await gateway.call<MessageData>('GET', `/v1/messages/${id}`)).body.data;
}

/** Uploads a file; returns its `mediaId`. */
export async function uploadMedia(
  gateway: Gateway,
  bytes: Buffer,
  fileName: string,
  type: string,
): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), fileName);
  const answer = await gateway.call<{ mediaId: string }>('POST', '/v1/templates/media', { body: form });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.mediaId;
}

/** Resolves when no number has slots left that earlier messages did not use: they are kept across a change of its pace. */
export async function unusedSlotsEnded(): Promise<void> {
  // reserved one window ahead, kept for one after a message did not use it; one more for the statements between
  const endMs = performance.now() + 3 * paceWindowsMs.usual;
  await until(async () => expect(performance.now()).toBeGreaterThan(endMs));
}
