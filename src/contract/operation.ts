// The description of an API operation, in addition to its schemas.
import type { ErrorCode } from './error-codes.ts';

export interface Operation {
  /** `operationId`: the method's name in generated clients. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** Its own error codes; those that every operation can return are added. */
  errors?: readonly ErrorCode[];
  /** `message` of the example response. */
  message: string;
}
