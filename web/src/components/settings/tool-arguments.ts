/** What a tool's JSON Schema says of its arguments, for a person to read. */

export interface ToolArgument {
  name: string;
  type: string;
  required: boolean;
  about: string;
}

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function argumentsOf(schema: unknown): ToolArgument[] {
  if (!isSchema(schema) || !isSchema(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, value]) => ({
    name,
    type: typeOf(value),
    required: required.includes(name),
    about: isSchema(value) && typeof value.description === "string" ? value.description : "",
  }));
}

function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return "";
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const either = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(either)) return [...new Set(either.map(typeOf))].filter(Boolean).join(" | ");
  const types = [schema.type].flat().filter((one) => typeof one === "string");
  return types.map((one) => (one === "array" ? listOf(typeOf(schema.items)) : one)).join(" | ");
}

function listOf(item: string): string {
  if (!item) return "array";
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}
