// The whole journey through a running gateway and a sandbox, as a process of its own, so that it can trust another certificate:
// numbers, templates, calendars, a send to many people with all its webhooks, a file, a booking. Arguments: one JSON document.
import { deepStrictEqual, strictEqual } from 'node:assert';
import { ChatbotGateway } from '../../client/src/client.ts';
import { type SandboxUrls, seedDemo } from '../../demo/seed.ts';
import { firstTemplateName } from '../../demo/templates.ts';
import { receiverControl } from '../../sandbox/control.ts';
import { bookFirst } from './demo-account.ts';
import { gatewayClient } from './gateway-client.ts';

interface Input {
  baseUrl: string;
  apiKey: string;
  accountId: string;
  sandbox: SandboxUrls;
}

const people = 50;
const stages = ['sent', 'delivered', 'read'];
const input = JSON.parse(process.argv[2] ?? '') as Input;
const gateway = new ChatbotGateway(input);
const say = (line: string) => process.stdout.write(`${line}\n`);

await seedDemo(input, say);
say('seeded');

const { items } = await gateway.listTemplates({ status: 'approved', search: firstTemplateName });
const recipients = Array.from({ length: people }, (_, at) => ({
  phone: String(15550200000 + at),
  variables: { '1': 'Ada', '2': 'A-1', '3': 'on Friday' },
}));
const sent = await gateway.sendTemplate({ body: { templateId: items[0]?._id ?? '', recipients } });
strictEqual(sent.failed, 0);
say('sent');

const receiver = receiverControl(input.sandbox.receiverUrl);
for (const { messageId } of sent.messages) {
  const events = await receiver.events({ messageId: messageId ?? '', status: 'read', waitSeconds: 30 });
  strictEqual(events.length, 1);
  const all = await receiver.events({ messageId: messageId ?? '' });
  strictEqual(
    all.every(({ verified }) => verified),
    true,
  );
  deepStrictEqual(
    all.map(({ json }) => (json as { data: { status: string } }).data.status),
    stages,
  );
}
say('webhooks delivered in order');

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const { mediaId } = await gateway.uploadMedia({
  body: { file: new File([picture], 'dot.png', { type: 'image/png' }) },
});
const content = await gateway.downloadMedia({ mediaId });
strictEqual(Buffer.from(await content.arrayBuffer()).equals(picture), true);
say('file stored');

const staff = await gateway.listStaff();
const booked = await bookFirst(gatewayClient(input.baseUrl, input.apiKey), staff.items[0]?._id ?? '');
strictEqual(booked.status, 'confirmed');
say('booked');
