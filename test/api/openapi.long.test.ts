// The OpenAPI document, read by a second linter, which takes seconds.
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { startGateway } from '../harness/gateway.ts';

test('Spectral finds nothing', { timeout: 60_000 }, async () => {
  const gateway = await startGateway();
  try {
    const { text } = await gateway.call('GET', '/openapi.json', { key: null });
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [spectralRulesets.oas] } as never);
    const found = await spectral.run(JSON.parse(text));
    expect(found.map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)).toEqual([]);
  } finally {
    await gateway.close();
  }
});
