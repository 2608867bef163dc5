// Schemas of the OpenAPI document: a schema with a title becomes a shared component, and validation-only parts are removed. Pure.

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects shared schemas by title while it rewrites the schemas that use them. */
export function openComponents() {
  const schemas: Record<string, Json> = {};

  /** The schema for the document: a `$ref` if it has a title. */
  function shared(schema: Json): Json {
    const { title, ...rest } = schema;
    if (typeof title !== 'string') return rewritten(schema);
    const component = rewritten(rest);
    const known = schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two schemas have the title ${title}`);
    schemas[title] = component;
    return { $ref: `#/components/schemas/${title}` };
  }

  function rewritten(schema: Json): Json {
    if (isObject(schema.documentedAs)) return rewritten(schema.documentedAs);
    const result = Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => key !== 'patternProperties')
        .map(([key, value]) => [key, member(key, value)]),
    );
    // a map of strings: TypeBox writes it with a pattern that every key matches
    const [values] = Object.values((schema.patternProperties as Record<string, Json>) ?? {});
    if (values) result.additionalProperties = shared(values);
    return addType(mergeNull(result));
  }

  function member(key: string, value: unknown): unknown {
    if (key === 'properties' && isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shared(one as Json)]));
    if ((key === 'anyOf' || key === 'allOf') && Array.isArray(value))
      return value.map((one) => shared(one as Json));
    if ((key === 'items' || key === 'additionalProperties') && isObject(value)) return shared(value);
    return value;
  }

  return { schemas, shared };
}

/** Moves null from a union into the type, which more generators understand. */
function mergeNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const other = anyOf.find((one: Json) => one.type !== 'null') as Json | undefined;
  if (!other || !anyOf.some((one: Json) => one.type === 'null')) return schema;
  // null among the values of an enumeration is what some generators do not take
  if (typeof other.type !== 'string') return schema;
  if (other.enum) {
    const { description, ...values } = other;
    return { description, ...rest, anyOf: [values, { type: 'null' }] };
  }
  return { ...other, ...rest, type: [other.type, 'null'] };
}

/** Adds the type to enumerations and constants, which TypeBox omits. */
function addType(schema: Json): Json {
  if (schema.type !== undefined) return schema;
  if (Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string'))
    return { type: 'string', ...schema };
  return schema;
}

/** An example of a schema: its first one, or one composed of its members' examples. */
export function exampleOf(schema: Json, schemas: Record<string, Json>): unknown {
  if (typeof schema.$ref === 'string')
    return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (isObject(schema.properties))
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, exampleOf(one as Json, schemas)]),
    );
  const [first] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (first) return exampleOf(first as Json, schemas);
  if (schema.type === 'array' && isObject(schema.items)) return [exampleOf(schema.items, schemas)];
  return undefined;
}
