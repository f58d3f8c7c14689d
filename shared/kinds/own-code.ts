/** Thrown if a kind refuses a spec that the API server accepted, perhaps under an older CRD. */
export class InvalidSpec extends Error {}

export function orInvalid<Result>(compute: () => Result): Result | { readonly invalid: string } {
  try {
    return compute();
  } catch (error) {
    if (error instanceof InvalidSpec) return { invalid: error.message };
    throw error;
  }
}

/** Adds the kind's name and the place in its code to an error. */
export function callOwn<Input, Result>(
  kind: string,
  call: (input: Input) => Result,
  input: Input,
): Result {
  try {
    return call(input);
  } catch (error) {
    if (error instanceof InvalidSpec) throw error;
    throw new Error(`${kind}: ${error}${locationOf(error)}`, { cause: error });
  }
}

function locationOf(error: unknown): string {
  const frames = framesOf(error);
  const engine = frames.findIndex(([text]) => / callOwn /.test(text));
  const file = frames[Math.max(engine - 1, 0)]?.[1];
  const [, , position] = frames.find(([, name]) => name === file) ?? [];
  return file === undefined ? '' : ` at ${file}${position}`;
}

export const framesOf = (error: unknown) => {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [...stack.matchAll(/^ +at (?:.*\()?(.+?)(:\d+:\d+)\)?$/gm)];
};

/** Maps a kind to an Error whose stack trace begins at the call to `defineKind`. */
export const definitionErrors = new WeakMap<object, Error>();

export function throwAny(subject: string, problems: readonly string[], path = ''): void {
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `${subject}: ${path}${problem}`).join('\n'));
}
