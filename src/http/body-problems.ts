// The problems of a request body, up to a limit: sizes are checked before contents, so a hostile body is cheap to reject.
import type { Ajv, ErrorObject } from 'ajv';
import { listedProblemsMax } from '../base/errors.ts';

/** The part of JSON Schema that contracts use for objects and arrays. */
export interface BodySchema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, BodySchema>;
  required?: string[];
  additionalProperties?: boolean | BodySchema;
  patternProperties?: Record<string, BodySchema>;
  propertyNames?: BodySchema;
  minProperties?: number;
  maxProperties?: number;
  anyOf?: BodySchema[];
  items?: BodySchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

export type SchemaProblem = Pick<ErrorObject, 'keyword' | 'instancePath' | 'params' | 'message' | 'data'>;

/** Collects problems, one per path, until there is one more than a response lists. */
class ProblemList {
  readonly problems: SchemaProblem[] = [];
  readonly #paths = new Set<string>();

  get isFull(): boolean {
    return this.problems.length > listedProblemsMax;
  }

  add(problem: SchemaProblem): void {
    const { instancePath, params } = problem;
    const path = `${instancePath}/${params.missingProperty ?? params.additionalProperty ?? ''}`;
    if (this.isFull || this.#paths.has(path)) return;
    this.#paths.add(path);
    this.problems.push(problem);
  }
}

/** Adds the problems of a value to the list; returns whether it has none. */
type Visit = (value: unknown, pointer: string, list: ProblemList) => boolean;

/**
 * Compiles a schema to a function that returns the problems of a value in the form of Ajv's errors: at most one per
 * path, and at most one more than a response lists. The contents of an array or object of the wrong size are not
 * visited. `ajv` must stop at the first error: Ajv alone would report every item of a huge array.
 */
export function problemsBy(ajv: Ajv, schema: BodySchema): (value: unknown) => SchemaProblem[] {
  const visit = visitorOf(ajv, schema);
  return (value) => {
    const list = new ProblemList();
    visit(value, '', list);
    return list.problems;
  };
}

function visitorOf(ajv: Ajv, schema: BodySchema): Visit {
  if (schema.type === 'object' && (schema.properties || schema.patternProperties))
    return objectVisitor(ajv, schema);
  if (schema.type === 'array' && schema.items) return arrayVisitor(ajv, schema, schema.items);
  const [one, other, ...more] = schema.anyOf ?? [];
  if (one && other?.type === 'null' && more.length === 0) {
    const visit = visitorOf(ajv, one);
    return (value, pointer, list) => value === null || visit(value, pointer, list);
  }
  return wholeVisitor(ajv, schema);
}

/** Validates the whole value with Ajv. */
function wholeVisitor(ajv: Ajv, schema: BodySchema): Visit {
  const validate = ajv.compile(schema);
  return (value, pointer, list) => {
    if (validate(value)) return true;
    for (const error of validate.errors ?? [])
      list.add({ ...error, instancePath: `${pointer}${error.instancePath}` });
    return false;
  };
}

/** Checks the name of a member; its problems contain the name. */
function nameVisitor(
  ajv: Ajv,
  schema: BodySchema,
): (name: string, pointer: string, list: ProblemList) => boolean {
  const validate = ajv.compile(schema);
  return (propertyName, pointer, list) => {
    if (validate(propertyName)) return true;
    for (const error of validate.errors ?? [])
      list.add({ ...error, instancePath: pointer, params: { ...error.params, propertyName } });
    return false;
  };
}

function arrayVisitor(ajv: Ajv, schema: BodySchema, itemSchema: BodySchema): Visit {
  const { minItems = 0, maxItems = Number.MAX_SAFE_INTEGER } = schema;
  const checkSize = wholeVisitor(ajv, { type: 'array', minItems, maxItems });
  const visitItem = visitorOf(ajv, itemSchema);
  const checkWhole = wholeVisitor(ajv, schema);
  return (value, pointer, list) => {
    if (!checkSize(value, pointer, list)) return false;
    let isValid = true;
    for (const [index, item] of (value as unknown[]).entries()) {
      if (list.isFull) return false;
      if (!visitItem(item, `${pointer}/${index}`, list)) isValid = false;
    }
    // valid items may still be duplicates
    return isValid && checkWhole(value, pointer, list);
  };
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

function objectVisitor(ajv: Ajv, schema: BodySchema): Visit {
  const { minProperties = 0, maxProperties = Number.MAX_SAFE_INTEGER, required = [] } = schema;
  const checkSize = wholeVisitor(ajv, { type: 'object', minProperties, maxProperties });
  const checkName = schema.propertyNames && nameVisitor(ajv, schema.propertyNames);
  const visitMember = memberVisitor(ajv, schema);
  return (value, pointer, list) => {
    if (!checkSize(value, pointer, list)) return false;
    const object = value as Record<string, unknown>;
    let isValid = true;
    for (const missingProperty of required.filter((name) => object[name] === undefined)) {
      isValid = false;
      list.add({ keyword: 'required', instancePath: pointer, params: { missingProperty } });
    }
    for (const key of Object.keys(object)) {
      if (list.isFull) return false;
      const hasValidName = checkName?.(key, pointer, list) ?? true;
      if (!visitMember(key, object[key], pointer, list) || !hasValidName) isValid = false;
    }
    return isValid;
  };
}

/** Visits one member of an object, by its name, a name pattern, or as an additional property. */
function memberVisitor(ajv: Ajv, schema: BodySchema) {
  const byName = new Map(
    Object.entries(schema.properties ?? {}).map(([key, one]) => [key, visitorOf(ajv, one)]),
  );
  const byPattern = Object.entries(schema.patternProperties ?? {}).map(([pattern, one]) => ({
    pattern: new RegExp(pattern, 'u'),
    visit: visitorOf(ajv, one),
  }));
  const { additionalProperties: others = true } = schema;
  const visitOther = typeof others === 'object' ? visitorOf(ajv, others) : undefined;
  return (key: string, member: unknown, pointer: string, list: ProblemList): boolean => {
    const visit = byName.get(key) ?? byPattern.find(({ pattern }) => pattern.test(key))?.visit ?? visitOther;
    if (visit) return visit(member, `${pointer}/${escaped(key)}`, list);
    if (others !== false) return true;
    list.add({
      keyword: 'additionalProperties',
      instancePath: pointer,
      params: { additionalProperty: key },
    });
    return false;
  };
}
