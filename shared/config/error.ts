/** An environment variable is invalid; the message names it and says what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
