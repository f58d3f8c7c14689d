import { gunzipSync } from 'node:zlib';

interface Given {
  readonly uid?: string | undefined;
  /** Data sources, for the inputs of a dashboard that someone exported. */
  readonly datasources: readonly { readonly inputName: string; readonly datasourceName: string }[];
  /** The values of variables that are chosen when the dashboard is opened. */
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

/** Stands in a text for a value. */
export const placeOf = (name: string): string => `\${${name}}`;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the text of a dashboard, or what is wrong with the given one. */
export function dashboardOf(text: string, given: Given): { text: string } | { problem: string } {
  const input = given.datasources.find(({ inputName }) => !text.includes(placeOf(inputName)));
  if (input !== undefined) return { problem: `the dashboard has no input ${input.inputName}` };
  const filled = given.datasources.reduce(
    (all, { inputName, datasourceName }) =>
      all.replaceAll(placeOf(inputName), JSON.stringify(datasourceName).slice(1, -1)),
    text,
  );
  const found = parsed(filled);
  if (found === undefined) return { problem: 'the dashboard is no JSON object' };
  const { uid, variables } = given;
  const list = isFields(found.templating) ? found.templating.list : undefined;
  const known = (Array.isArray(list) ? list : []).filter(isFields);
  const unknown = variables.find(({ name }) => !known.some((one) => one.name === name));
  if (unknown !== undefined) return { problem: `the dashboard has no variable ${unknown.name}` };
  if (uid === undefined && variables.length === 0) return { text: filled };
  const templating = {
    ...(found.templating as object),
    list: known.map((one) => chosen(one, given)),
  };
  return {
    text: JSON.stringify({
      ...found,
      ...(uid !== undefined && { uid }),
      ...(variables.length > 0 && { templating }),
    }),
  };
}

function chosen(variable: Fields, { variables }: Given): Fields {
  const { value } = variables.findLast(({ name }) => name === variable.name) ?? {};
  return value === undefined
    ? variable
    : { ...variable, current: { selected: true, text: value, value } };
}

function parsed(text: string): Fields | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isFields(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Unpacks base64 of gzip; undefined if it is neither, or unpacks to more than a ConfigMap holds. */
export function unzipped(base64: string): string | undefined {
  try {
    return gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: 500_000 }).toString();
  } catch {
    return undefined;
  }
}
