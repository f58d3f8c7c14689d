export type Environment = Readonly<Record<string, string | undefined>>;

/** The message names the invalid field or variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export const givenVariables = (names: readonly string[], env: Environment) =>
  Object.fromEntries(
    names.map((name) => [name, env[name]?.trim() ?? '']).filter(([, value]) => value !== ''),
  );

const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const hostAndPort = new RegExp(`^(${label}(\\.${label})*|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?$`);

/** Accepts a host name or an IP address (IPv6 in brackets), with or without a port. */
export const isAddress = (text: string): boolean =>
  hostAndPort.test(text) && !text.endsWith(':0') && URL.canParse(`https://${text}`);
