/**
 * What only the desktop can do: pick a folder, open a file in another editor. The one file that
 * imports the desktop's own package, and only when it runs there.
 */

interface Native {
  /** The folder picked, or null when the person closed the dialog. */
  pickFolder(title: string): Promise<string | null>;
  /** Opens a file, named by its whole path, with the system's program for it. */
  openOutside(path: string): Promise<void>;
  /** Reports the first picture, so that the next start knows this way of drawing works. */
  painted(): Promise<void>;
}

export const inDesktop = (): boolean => '__TAURI_INTERNALS__' in globalThis;

/** The desktop's dialogs, or null in a browser, where a path is typed instead. */
export async function native(): Promise<Native | null> {
  if (!inDesktop()) return null;
  const { invoke } = await import('@tauri-apps/api/core');
  return {
    pickFolder: (title) => invoke<string | null>('pick_folder', { title }),
    openOutside: (path) => invoke<void>('open_outside', { path }),
    painted: () => invoke<void>('painted'),
  };
}
