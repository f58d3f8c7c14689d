import { valueAt } from './value-at.ts';

/** The values of placeholders: the namespace of the case and the answers to its named steps. */
export interface Answers {
  readonly namespace: string;
  readonly bodies: ReadonlyMap<string, unknown>;
}

const placeholder = /\{(ns|[a-z][\w-]*\.[\w.-]+)\}/g;
const whole = new RegExp(`^${placeholder.source}$`);

/** Copies a value with all its placeholders filled in, in strings and in keys. */
export function fillIn<T>(value: T, answers: Answers): T {
  return fill(value, answers) as T;
}

function fill(value: unknown, answers: Answers): unknown {
  if (typeof value === 'string') return fillString(value, answers);
  if (Array.isArray(value)) return value.map((item) => fill(item, answers));
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    String(fillString(key, answers)),
    fill(inner, answers),
  ]);
  return Object.fromEntries(entries);
}

function fillString(text: string, answers: Answers): unknown {
  const only = whole.exec(text)?.[1];
  if (only !== undefined) return lookUp(only, answers);
  return text.replaceAll(placeholder, (_, name: string) => String(lookUp(name, answers)));
}

function lookUp(name: string, { namespace, bodies }: Answers): unknown {
  if (name === 'ns') return namespace;
  const dot = name.indexOf('.');
  const step = name.slice(0, dot);
  if (!bodies.has(step)) throw new Error(`{${name}}: no earlier step is called ${step}`);
  const value = valueAt(bodies.get(step), name.slice(dot + 1));
  if (value === undefined) throw new Error(`{${name}}: the answer to ${step} has no such value`);
  return value;
}
