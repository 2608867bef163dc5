// The health of a number: what limits its messages, and not what limits its calls (Cloud API, "Health status").
import { describe, expect, it } from 'vitest';
import { phoneNumber } from '../../src/adapters/meta/number.ts';

const healthOf = (overall: string, entities: object[]) =>
  phoneNumber('15550100001', { health_status: { can_send_message: overall, entities } }).health;
const fine = { can_send_message: 'AVAILABLE' };
const others = ['WABA', 'BUSINESS', 'APP'].map((entity_type) => ({ entity_type, ...fine }));
const sip = {
  error_code: 138024,
  error_description: 'WhatsApp Business calling cannot use SIP because it is not enabled',
  possible_solution: 'Configure SIP using {PHONE_NUMBER_ID}/settings API',
};

describe('the health of a number', () => {
  it('is that of its messages, also where the platform calls it BLOCKED because of calls', () => {
    const number = { entity_type: 'PHONE_NUMBER', ...fine, can_receive_call_sip: 'BLOCKED', errors: [sip] };
    const app = { entity_type: 'APP', ...fine, errors: [{ ...sip, error_code: 138025 }] };
    expect(healthOf('BLOCKED', [number, ...others.slice(0, 2), app])).toEqual({
      canSend: 'available',
      problems: [],
    });
  });

  it('has the additional information about a limit, without errors of calls', () => {
    const text = 'Your display name has not been approved yet.';
    const limited = { can_send_message: 'LIMITED', additional_info: [text, 5, {}], errors: [sip] };
    expect(healthOf('LIMITED', [{ entity_type: 'PHONE_NUMBER', ...limited }, ...others])).toEqual({
      canSend: 'limited',
      problems: [{ entity: 'PHONE_NUMBER', code: null, description: text, advice: null }],
    });
  });

  it('has the errors of what is blocked, and is the worst of all', () => {
    const number = { entity_type: 'PHONE_NUMBER', can_send_message: 'LIMITED' };
    const errors = [
      { error_code: 141014, error_description: 'The WABA is banned.', possible_solution: 'Appeal.' },
    ];
    const banned = { entity_type: 'WABA', can_send_message: 'BLOCKED', errors };
    expect(healthOf('AVAILABLE', [number, banned])).toEqual({
      canSend: 'blocked',
      problems: [
        { entity: 'PHONE_NUMBER', code: null, description: 'is LIMITED', advice: null },
        { entity: 'WABA', code: 141014, description: 'The WABA is banned.', advice: 'Appeal.' },
      ],
    });
  });

  it('is as the platform sums it up if no part has its own', () => {
    expect(healthOf('BLOCKED', [])).toEqual({ canSend: 'blocked', problems: [] });
    expect(healthOf('LIMITED', [{ entity_type: 'WABA', errors: [{ error_description: 'x' }] }])).toEqual({
      canSend: 'limited',
      problems: [{ entity: 'WABA', code: null, description: 'x', advice: null }],
    });
    expect(healthOf('SOMETHING', others)).toEqual({ canSend: 'available', problems: [] });
    expect(healthOf('SOMETHING', [])).toBeNull();
  });
});
