// The operations of a gateway with the sandbox, below /sandbox/: phones of recipients, the receiver's events, simulated faults and delays.
import { type Static, Type } from 'typebox';
import { Id, instant, nullable } from './envelope.ts';
import { messageStates } from './messages.ts';
import { SentReply } from './reply-contents.ts';
import { renderedFields } from './template-preview.ts';

const closed = { additionalProperties: false } as const;

const Phone = Type.Object(
  {
    phone: Type.String({ description: 'Its number, in digits.' }),
    senderId: Type.String({ ...Id, description: 'The sender of the newest message on it.' }),
    lastAt: instant('When the newest message arrived or was written.'),
    messages: Type.Integer({ description: 'How many of the newest messages are on it.' }),
  },
  { title: 'SandboxPhone', description: 'The phone of a recipient.' },
);
export const SandboxPhones = Type.Object(
  { items: Type.Array(Phone, { description: 'The newest message first, at most 100.' }) },
  { title: 'SandboxPhones', description: 'Phones with messages of the account.' },
);

const PhoneMessage = Type.Object(
  {
    messageId: Type.String({ description: "The platform's identifier." }),
    direction: Type.Enum(['arrived', 'wrote'], {
      description: 'It arrived on the phone, or its owner wrote it.',
    }),
    senderId: Type.String({ ...Id, description: 'The number at the other end.' }),
    at: instant('When it arrived or was written.'),
    isRead: Type.Boolean({ description: 'True for a message that its owner has read.' }),
    type: Type.String({ description: '`template`, the kind of a reply, or the kind of what was written.' }),
    text: nullable(Type.String({ description: 'What the owner wrote or pressed, in a line.' })),
    id: nullable(Type.String({ ...Id, description: 'Our id of an arrived message.' })),
    status: nullable(Type.Enum([...messageStates], { description: 'What the gateway knows of it.' })),
    parts: nullable(
      Type.Object(renderedFields, {
        title: 'ShownParts',
        description: 'The parts of a template as it looks.',
      }),
    ),
    reply: nullable(SentReply),
  },
  { title: 'SandboxMessage', description: 'A message on the phone of a recipient.' },
);
export const SandboxMessages = Type.Object(
  { items: Type.Array(PhoneMessage, { description: 'The newest 50 messages, oldest first.' }) },
  { title: 'SandboxMessages', description: 'What a phone shows.' },
);

export const PhoneParams = Type.Object({ phone: Type.String({ pattern: '^[0-9]{3,20}$' }) }, closed);

export const PhoneActBody = Type.Object(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description: 'Writes this.' })),
    senderId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The number to write to. Default: that of the newest message.',
      }),
    ),
    press: Type.Optional(
      Type.Object(
        {
          messageId: Type.String({ maxLength: 256, description: 'The message, by its `messageId`.' }),
          button: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 9, description: 'Position of a button.' }),
          ),
          card: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 9,
              description: 'Position of the card that has the button.',
            }),
          ),
          row: Type.Optional(Type.String({ maxLength: 200, description: 'Id of a row of a list.' })),
        },
        { ...closed, description: 'Presses a button or chooses a row.' },
      ),
    ),
  },
  { ...closed, title: 'SandboxAct', description: 'What the owner of the phone does: `text` or `press`.' },
);
export const PhoneActed = Type.Object(
  { messageId: Type.String({ description: "The platform's identifier of what they wrote." }) },
  { title: 'SandboxActed', description: 'What the owner of the phone did.' },
);

export const ReceiverQuery = Type.Object(
  {
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'Only events after this `seq`.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'How many events.' }),
    ),
  },
  closed,
);
const ReceiverEvent = Type.Object(
  {
    seq: Type.Integer({ description: 'Rises with every event.' }),
    hook: Type.String({ description: 'The last segment of the endpoint’s URL.' }),
    at: instant('When it was received.'),
    verified: Type.Boolean({ description: 'True if its signature fits.' }),
    answered: Type.Union([Type.Integer(), Type.String()], {
      description: 'The status of the response, or the simulated fault.',
    }),
    headers: Type.Record(Type.String(), Type.Unknown(), { description: 'The headers of the request.' }),
    body: Type.String({ description: 'The exact body.' }),
  },
  { title: 'ReceiverEvent', description: 'A request to the simulated receiver.' },
);
export const ReceiverEvents = Type.Object(
  {
    items: Type.Array(ReceiverEvent, {
      description: 'The newest events, newest first; with `since` the oldest after it, oldest first.',
    }),
  },
  { title: 'ReceiverEvents', description: 'Events of the account that the simulated receiver got.' },
);

/** The simulated faults, in the order of lists. */
export const sandboxFaults = [
  'platform_outage',
  'platform_slow',
  'platform_throttled',
  'token_rejected',
  'callbacks_held',
  'receiver_failing',
  'receiver_slow',
  'calendar_outage',
  'calendar_slow',
] as const;
export type SandboxFaultName = (typeof sandboxFaults)[number];

const Fault = Type.Object(
  {
    name: Type.Enum([...sandboxFaults], { description: 'Its name.' }),
    isOn: Type.Boolean({ description: 'True while it affects calls.' }),
    timesLeft: nullable(Type.Integer({ description: 'Calls that it still affects; null: all, or none.' })),
  },
  { title: 'SandboxFault', description: 'A simulated fault.' },
);
export const SandboxFaults = Type.Object(
  { items: Type.Array(Fault, { description: 'Every fault.' }) },
  { title: 'SandboxFaults', description: 'The simulated faults. They affect every account of the sandbox.' },
);
export const FaultParams = Type.Object({ name: Type.Enum([...sandboxFaults]) }, closed);
export const FaultBody = Type.Object(
  {
    isOn: Type.Boolean({ description: 'Whether it affects calls.' }),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Ends after so many calls. Not for `callbacks_held`.',
      }),
    ),
  },
  { ...closed, title: 'SwitchSandboxFault', description: 'Switches a simulated fault.' },
);

/** The delays of the simulated platform that can be changed, in the order of the page. */
export const sandboxDelays = ['sentMs', 'deliveredMs', 'readMs', 'approvalMs'] as const;
/** An hour. */
const delayMsMax = 3_600_000;

const delay = (description: string) => Type.Integer({ minimum: 0, maximum: delayMsMax, description });
const delays = {
  sentMs: delay('Milliseconds until a message is reported as sent.'),
  deliveredMs: delay('Milliseconds until it arrives.'),
  readMs: delay('Milliseconds until it is read.'),
  approvalMs: delay('Milliseconds until a new template is reviewed.'),
};
export const SandboxDelays = Type.Object(delays, {
  title: 'SandboxDelays',
  description: 'How long the simulated platform takes, for every account of the sandbox.',
});
export type SandboxDelays = Static<typeof SandboxDelays>;
export const SandboxDelaysBody = Type.Partial(SandboxDelays, {
  ...closed,
  title: 'ChangeSandboxDelays',
  description: 'Changes delays. Messages and templates that were accepted before keep theirs.',
});
