import { createHash } from 'node:crypto';

/**
 * The policy of a page whose only scripts and styles are its own inline ones, each named by its hash,
 * and which connects only to its own server and cannot be framed.
 */
export function contentSecurityPolicy(html: string): string {
  const inline = (element: string): string => {
    const found = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
    const hashes = [...found].map(([, text = '']) => `'sha256-${sha256(text)}'`);
    return hashes.length === 0 ? "'none'" : hashes.join(' ');
  };
  return [
    "default-src 'none'",
    `script-src ${inline('script')}`,
    `style-src ${inline('style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
