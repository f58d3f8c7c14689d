/** The variables of a process, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Those of the variables that are set, with their values. */
export const givenVariables = (
  names: readonly string[],
  env: Environment,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
