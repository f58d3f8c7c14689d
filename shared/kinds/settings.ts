/** The settings of an installation that kinds depend on, from its environment. */
export interface Settings {
  /** The address that authorizes requests to protected endpoints; without it none are exposed. */
  readonly authUrl: string | undefined;
  readonly ingressClass: string;
}

export const defaultSettings: Settings = { authUrl: undefined, ingressClass: 'nginx' };
