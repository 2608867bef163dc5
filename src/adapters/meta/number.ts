// Converts the platform's phone number object (Cloud API, "Business phone numbers", "Health status") to the port's. Pure.
import type { PhoneNumber, PlatformHealth } from '../../ports/platform-number.ts';
import { isObject, type Json, objectsOf, storableText, textOf } from './json.ts';

/** The fields of every read. */
export const numberFields =
  'display_phone_number,verified_name,status,quality_rating,platform_type,throughput,whatsapp_business_manager_messaging_limit,health_status';

/** Messages per second by `throughput.level` (Cloud API, "Throughput"); 20 for numbers shared with the Business app is not shown there. */
const perSecondOf: Record<string, number> = { STANDARD: 80, HIGH: 1000 };

const word = (value: unknown): string | null => storableText(value)?.toUpperCase() || null;

/** The state of a number. A member that is missing or has an unknown form is null. */
export function phoneNumber(displayPhone: string, value: Json): PhoneNumber {
  const [status, platform] = [word(value.status), word(value.platform_type)];
  const level = isObject(value.throughput) ? word(value.throughput.level) : null;
  const health = isObject(value.health_status) ? value.health_status : null;
  return {
    businessAccountId: health && ownerOf(health),
    displayPhone,
    verifiedName: storableText(value.verified_name) ?? '',
    isRegistered: status === null || platform === null ? null : isReady(status, platform),
    status,
    qualityRating: word(value.quality_rating),
    messagingLimit: word(value.whatsapp_business_manager_messaging_limit),
    throughput: perSecondOf[level ?? ''] ?? null,
    health: health && healthOf(health),
  };
}

const isReady = (status: string, platform: string): boolean =>
  status === 'CONNECTED' && platform === 'CLOUD_API';

/** The health of a number has an entry for the business account that owns it, with its id ("Health status"). */
const ownerOf = ({ entities }: Json): string | null =>
  textOf(objectsOf(entities).find(({ entity_type }) => entity_type === 'WABA')?.id) ?? null;

const canSendOf: Record<string, PlatformHealth['canSend']> = {
  AVAILABLE: 'available',
  LIMITED: 'limited',
  BLOCKED: 'blocked',
};

/** From the best to the worst. */
const order: PlatformHealth['canSend'][] = ['available', 'limited', 'blocked'];

/** A number has a health of itself, its account, its app and its business. */
const problemsMax = 20;

/** Errors of calls, such as 138024, "calling cannot use SIP", which most numbers have. */
const isOfCalls = ({ error_code: code }: Json): boolean => Math.floor(Number(code) / 1_000) === 138;

/**
 * The health of messages: the worst of all entities. The platform's own sum is BLOCKED also where a number merely cannot
 * take calls by SIP ("Health status": the example "blocked response for receiving calls").
 */
function healthOf(value: Json): PlatformHealth | null {
  const entities = objectsOf(value.entities);
  const words = entities.flatMap(({ can_send_message: can }) => canSendOf[textOf(can) ?? ''] ?? []);
  const canSend =
    order.findLast((one) => words.includes(one)) ?? canSendOf[textOf(value.can_send_message) ?? ''];
  if (!canSend) return null;
  return { canSend, problems: entities.flatMap(problemsOf).slice(0, problemsMax) };
}

/** What limits (`additional_info`) or blocks (`errors`) an entity; one that is not available is a problem, with or without words. */
function problemsOf(entity: Json): PlatformHealth['problems'] {
  if (textOf(entity.can_send_message) === 'AVAILABLE') return [];
  const errors = objectsOf(entity.errors).filter((error) => !isOfCalls(error));
  const texts = Array.isArray(entity.additional_info) ? entity.additional_info : [];
  const limits: Json[] = texts.flatMap((text) =>
    typeof text === 'string' ? { error_description: text } : [],
  );
  const said = [...errors, ...limits];
  return (said.length > 0 ? said : [{}]).map((error: Json) => ({
    entity: storableText(entity.entity_type) ?? 'UNKNOWN',
    code: Number.isInteger(Number(error.error_code)) ? Number(error.error_code) : null,
    description: storableText(error.error_description) ?? `is ${storableText(entity.can_send_message)}`,
    advice: storableText(error.possible_solution) ?? null,
  }));
}
