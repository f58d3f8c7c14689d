/** An environment variable has a bad value; says which, and what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
