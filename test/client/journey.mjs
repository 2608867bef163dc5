// One journey with the packed client, for every runtime: send, pages, slots, book, media, webhook. Returns the results.

/** Reads all items of a list, in pages of one item. */
async function all(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

/** `client` and `webhooks` are the package's two entries; `webhooks` only where `node:crypto` exists. */
export async function journey(client, webhooks, { baseUrl, apiKey, webhook }) {
  const { ChatbotGateway, GatewayConnectionError, isGatewayError, verifyWebhookAsync } = client;
  const gateway = new ChatbotGateway({ baseUrl, apiKey });

  const { items } = await gateway.listTemplates({ status: 'approved', search: 'order_update' });
  const variables = { 1: 'Ada', 2: 'A-1', 3: 'on Friday' };
  const recipients = ['15550100021', '15550100022', '15550100023'].map((phone) => ({ phone, variables }));
  const send = await gateway.sendTemplate({ body: { templateId: items[0]._id, recipients } });
  // one list with a cursor, one with numbered pages
  const messages = await all(gateway.listMessages({ sendId: send.sendId, limit: 1 }));
  const phones = messages.map((message) => message.recipientPhone).sort();
  const templates = await all(gateway.listTemplates({ limit: 3 }));

  const file = new Blob(['A file of plain text.'], { type: 'text/plain' });
  const { mediaId } = await gateway.uploadMedia({ body: { file } });
  const downloaded = await (await gateway.downloadMedia({ mediaId })).text();

  const [staff] = (await gateway.listStaff()).items;
  const slot = await firstSlot(gateway, staff._id);
  const booking = {
    appointmentUserId: staff._id,
    ...slot,
    staticQuestionAnswers: [
      {
        question: 'What would you like to talk about?',
        questionType: 'textarea',
        isRequired: true,
        answer: 'A talk',
      },
    ],
    email: 'ada@example.com',
    phoneNumber: '15550100001',
  };
  const idempotencyKey = '00000000-0000-4000-8000-'.padEnd(36, String(Date.now()).slice(-12));
  const booked = await gateway.bookAppointment({ body: booking }, { idempotencyKey });
  const repeated = await gateway.bookAppointment({ body: booking }, { idempotencyKey });
  const conflict = await gateway.bookAppointment({ body: booking }).catch((error) => error);

  const nowhere = new ChatbotGateway({ baseUrl: 'http://127.0.0.1:1', apiKey, retries: 0 });
  const unreachable = await nowhere.listKeys().catch((error) => error);

  const { body, headers, secret } = webhook;
  const forged = body.replace('"event"', '"Event"');
  const verified = [];
  const verify = async (call) => {
    const [genuine, other] = await Promise.all(
      [body, forged].map((text) =>
        Promise.resolve()
          .then(() => call(text, headers, secret))
          .then(
            ({ event }) => event.event,
            (error) => error.name,
          ),
      ),
    );
    verified.push(genuine, other);
  };
  if (webhooks) await verify(webhooks.verifyWebhook);
  if (globalThis.crypto?.subtle) await verify(verifyWebhookAsync);

  return {
    accepted: send.accepted,
    phones,
    templates: new Set(templates.map((template) => template._id)).size,
    downloaded,
    status: booked.status,
    isSame: repeated.bookingId === booked.bookingId,
    isTaken: isGatewayError(conflict, 'slot_unavailable'),
    isUnreachable: unreachable instanceof GatewayConnectionError,
    verified: [...new Set(verified)],
  };
}

/** The first open slot of the next two weeks. */
async function firstSlot(gateway, appointmentUserId) {
  for (let day = 1; day < 15; day++) {
    const date = new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10);
    const { slots } = await gateway.listAvailableSlots({ appointmentUserId, date });
    if (slots[0]) return { date, from: slots[0].from, to: slots[0].to };
  }
  throw new Error('no open slot');
}
