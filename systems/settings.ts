/** Settings of an installation for the Ingresses of ContainerApps, from environment variables. */
export interface Settings {
  /** The URL that authorizes requests. Without it, no Ingress for endpoints with scopes is written. */
  readonly authUrl: string | undefined;
  readonly ingressClass: string;
}

export const defaultSettings: Settings = { authUrl: undefined, ingressClass: 'nginx' };

/** Parses AUTH_URL. */
export function authUrl(text: string): Settings['authUrl'] {
  if (text === '') return defaultSettings.authUrl;
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isWeb || /[?#\s]/.test(text))
    throw new Error(
      `"${text}" must be an http or https URL without a query, such as https://auth.example.com/check`,
    );
  return text;
}

/** Parses INGRESS_CLASS. */
export function ingressClass(text: string): Settings['ingressClass'] {
  if (text === '') return defaultSettings.ingressClass;
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text))
    throw new Error(`"${text}" is not a valid IngressClass name`);
  return text;
}
