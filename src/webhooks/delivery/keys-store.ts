// The keys of deliveries as parameters of statements.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { DeliveryKey } from './delivery.ts';

/** The arguments `subject_id`, `endpoint_id` and `stage` of an `unnest`, to which others may be added. */
export const deliveryKeys = (keys: readonly DeliveryKey[]) => sql`
  ${arrayText(keys.map((key) => key.subjectId))}::uuid[], ${arrayText(keys.map((key) => key.endpointId))}::uuid[],
    ${arrayText(keys.map((key) => key.stage))}::smallint[]`;
