/** A variable of the environment is no good; says which, and what would be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
