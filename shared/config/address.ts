const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const hostAndPort = new RegExp(`^(${label}(\\.${label})*|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?$`);

/** Whether this is a valid host name or IP address, with or without a port. */
export const isAddress = (text: string): boolean =>
  hostAndPort.test(text) && !text.endsWith(':0') && URL.canParse(`https://${text}`);
