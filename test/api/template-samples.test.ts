// Header samples of drafts: stored files that are uploaded to the platform when the draft is submitted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { padded, samples } from '../harness/sample-files.ts';
import { uploadMedia } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

interface Template {
  _id: string;
  status: string;
  providerTemplateId: string;
  components: object[];
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  await addSender(gateway, []);
});
afterAll(() => gateway?.close());

let made = 0;
const draft = (format: string, mediaId: string) =>
  gateway.call<Template>('POST', '/v1/templates', {
    body: {
      providerTemplateName: `sample_${made++}`,
      language: 'en_US',
      category: 'UTILITY',
      components: [
        { type: 'HEADER', format, mediaId },
        { type: 'BODY', text: 'Hello there.' },
      ],
    },
  });
const submit = (id: string) => gateway.call<Template>('POST', `/v1/templates/${id}/submit`);
const atPlatform = async (id: string) =>
  (await gateway.platform.state()).templates.find((template) => template.id === id);

describe('a sample', () => {
  it.each([
    ['IMAGE', 'a.png', 'image/png', samples.png],
    ['VIDEO', 'a.mp4', 'video/mp4', samples.mp4],
    ['DOCUMENT', 'Grüße & mehr.pdf', 'application/pdf', padded(samples.pdf, 3_000_000)],
  ])(
    'of a header with %s is uploaded with the submission, and the platform accepts the template',
    async (format, name, type, bytes) => {
      const mediaId = await uploadMedia(gateway, bytes, name, type);
      const { body } = await draft(format, mediaId);
      const submitted = await submit(body.data._id);
      expect(submitted.status, submitted.text).toBe(200);
      const template = await atPlatform(submitted.body.data.providerTemplateId);
      expect(template?.components[0]).toEqual({
        type: 'HEADER',
        format,
        example: { header_handle: [expect.stringMatching(/^4::/)] },
      });
      await expect
        .poll(
          async () =>
            (await gateway.call<Template>('GET', `/v1/templates/${body.data._id}`)).body.data.status,
        )
        .toBe('approved');
    },
  );

  it('is uploaded even if the platform does not reveal the app of the token', async () => {
    const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
    const { body } = await draft('IMAGE', mediaId);
    await gateway.platform.addFault({ on: 'objects', code: 100, times: 1 });
    const submitted = await submit(body.data._id);
    expect(submitted.status, submitted.text).toBe(200);
  });

  it('that is unknown, or of another kind, makes the draft invalid', async () => {
    const pdf = await uploadMedia(gateway, samples.pdf, 'a.pdf', 'application/pdf');
    for (const [format, mediaId, why] of [
      ['IMAGE', '12345', /does not exist in this account/],
      ['IMAGE', pdf, /must be image\/jpeg or image\/png/],
    ] as const) {
      const response = await draft(format, mediaId);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
      expect(response.body.errors).toEqual([
        { path: 'components[0].mediaId', message: expect.stringMatching(why) },
      ]);
    }
  });

  it('of a rejected template must be uploaded again, and every header that needs it is named', async () => {
    const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
    const { body } = await draft('IMAGE', mediaId);
    const { providerTemplateId } = (await submit(body.data._id)).body.data;
    const path = `/v1/templates/${body.data._id}`;
    const read = async () => (await gateway.call<Template>('GET', path)).body.data;
    await gateway.platform.changeTemplate(providerTemplateId, {
      status: 'REJECTED',
      reason: 'INVALID_FORMAT',
    });
    await gateway.database.db.updateTable('templates').set({ read_due_at: new Date() }).execute();
    await expect.poll(async () => JSON.stringify((await read()).components)).toContain('https://scontent');
    const { components } = await read();
    const missing = [
      { path: 'components[0].mediaId', message: expect.stringMatching(/does not take its own sample again/) },
    ];
    const again = await submit(body.data._id);
    expect([again.status, again.body.errors]).toEqual([400, missing]);
    const unchanged = await gateway.call('PATCH', path, { body: { components } });
    expect([unchanged.status, unchanged.body.errors]).toEqual([400, missing]);
    const named = [{ type: 'HEADER', format: 'IMAGE', mediaId }, components[1]];
    const edited = await gateway.call('PATCH', path, { body: { components: named } });
    expect(edited.status, edited.text).toBe(200);
    await expect.poll(async () => (await read()).status).toBe('approved');
  });

  it('that was deleted before the submission makes it fail, and the draft stays', async () => {
    const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
    const { body } = await draft('IMAGE', mediaId);
    expect((await gateway.call('DELETE', `/v1/media/${mediaId}`)).status).toBe(200);
    const response = await submit(body.data._id);
    expect([response.status, response.body.code]).toEqual([404, 'media_not_found']);
    expect(response.body.message).toContain(`The file ${mediaId}, a sample of this template, was removed`);
    expect((await gateway.call<Template>('GET', `/v1/templates/${body.data._id}`)).body.data.status).toBe(
      'draft',
    );
  });

  it('whose upload takes longer than the lease of the submission is not submitted', async () => {
    const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
    const { _id } = (await draft('IMAGE', mediaId)).body.data;
    await gateway.platform.addFault({ on: 'uploads', does: 'delay', ms: 60_000, times: 1 });
    const submitted = submit(_id);
    await until(async () => {
      const released = await gateway.database.db
        .updateTable('templates')
        .set({ deleting_until: null })
        .where('id', '=', _id)
        .where('deleting_until', 'is not', null)
        .executeTakeFirst();
      expect(Number(released.numUpdatedRows)).toBe(1);
    });
    await gateway.platform.clearFaults();
    expect([(await submitted).status, (await submitted).body.code]).toEqual([409, 'conflict']);
    const { templates } = await gateway.platform.state();
    expect(templates.filter(({ name }) => name === `sample_${made - 1}`)).toEqual([]);
    expect((await submit(_id)).status).toBe(200);
  });

  it.each([
    [{ code: 100, details: 'Not this file.' }, 502, 'provider_rejected'],
    [{ does: 'reset' as const }, 503, 'provider_unavailable'],
    [{ does: 'answer' as const, status: 200, body: {} }, 503, 'provider_unavailable'],
  ])(
    'whose upload fails with %j returns %i %s, and the draft can be submitted again',
    async (fault, status, code) => {
      const mediaId = await uploadMedia(gateway, samples.png, 'a.png', 'image/png');
      const { body } = await draft('IMAGE', mediaId);
      await gateway.platform.addFault({ on: 'uploads', times: 1, ...fault });
      const response = await submit(body.data._id);
      expect([response.status, response.body.code]).toEqual([status, code]);
      expect((await submit(body.data._id)).status).toBe(200);
    },
  );
});
