import { useEffect, useRef } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { fileContentUrl, type StoredFile } from "../../api/files.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { ChevronLeft, ChevronRight, Download, X } from "../../kit/icons.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { saveFile } from "./file-actions.ts";
import { altText, fileFacts, isShownPicture, isViewable, safeFileName } from "./file-facts.ts";
import { useFileMenu } from "./file-menu.tsx";
import { useFile } from "./file-queries.ts";
import { FileUsage } from "./file-usage.tsx";
import { FILE_ICONS, Fit, ZoomIn, ZoomOut } from "./icons.tsx";
import styles from "./viewer.module.css";
import { closeViewer, showInViewer, useViewerState, type ViewerState } from "./viewer-state.ts";
import { useZoom } from "./zoom.ts";

const STEP_PX = 60;

type ZoomState = ReturnType<typeof useZoom>;

type ContentProps = { file: StoredFile; zoom: ZoomState };

const Picture = ({ file, zoom: { zoom, frame, handlers, isWhole } }: ContentProps) => (
  <div ref={frame} className={styles.picture} data-whole={isWhole} {...handlers}>
    <img
      key={file.id}
      src={fileContentUrl(file.id)}
      alt={altText(file)}
      draggable={false}
      style={{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` }}
    />
  </div>
);

const ZoomButtons = ({ larger, smaller, whole, isWhole }: ZoomState) => (
  <>
    <IconButton label="Zoom out" shortcut="-" isDisabled={isWhole} onPress={smaller}>
      <ZoomOut aria-hidden="true" />
    </IconButton>
    <IconButton label="Zoom in" shortcut="+" onPress={larger}>
      <ZoomIn aria-hidden="true" />
    </IconButton>
    <IconButton label="Fit to screen" shortcut="0" isDisabled={isWhole} onPress={whole}>
      <Fit aria-hidden="true" />
    </IconButton>
  </>
);

/** For files that the browser cannot show, or must not for security. */
function NotViewable({ file }: { file: StoredFile }) {
  const Icon = FILE_ICONS[file.kind];
  return (
    <div className={styles.none}>
      <Icon aria-hidden="true" size="3rem" />
      <p>{fileFacts(file).join(" · ")}</p>
      <p>For your safety, files of this type aren’t shown here. Download it to open it in another app.</p>
      <Button kind="primary" onPress={() => void saveFile(file)}>
        <Download aria-hidden="true" size="1rem" /> Download
      </Button>
    </div>
  );
}

function Content({ file, page, zoom }: ContentProps & { page: number | undefined }) {
  const address = fileContentUrl(file.id);
  if (isShownPicture(file)) return <Picture file={file} zoom={zoom} />;
  if (!isViewable(file)) return <NotViewable file={file} />;
  if (file.kind === "pdf")
    return (
      <iframe
        className={styles.pages}
        title={safeFileName(file.name)}
        src={page ? `${address}#page=${page}` : address}
      />
    );
  if (file.kind === "audio")
    // biome-ignore lint/a11y/useMediaCaption: users' files have no captions
    return <audio className={styles.audio} controls src={address} aria-label={safeFileName(file.name)} />;
  // biome-ignore lint/a11y/useMediaCaption: users' files have no captions
  return <video className={styles.video} controls src={address} aria-label={safeFileName(file.name)} />;
}

/** Overlays above the viewer, and elements that handle keys themselves. */
const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"]';
const OWN_KEYS = /^(?:INPUT|TEXTAREA|VIDEO|AUDIO)$/;

/** Handles the keys of the viewer. Returns a function that shows the file some steps further. */
function useViewerKeys(viewed: ViewerState, zoom: ZoomState) {
  const go = (by: number) => {
    const { ids, id } = viewed;
    const next = ids[ids.indexOf(id) + by];
    if (next) showInViewer({ ids, id: next });
  };
  const sideways = (by: number) => (zoom.isWhole ? go(by) : zoom.move(-by * STEP_PX, 0));
  const keys: Record<string, () => void> = {
    "+": zoom.larger,
    "=": zoom.larger,
    "-": zoom.smaller,
    "0": zoom.whole,
    ArrowLeft: () => sideways(-1),
    ArrowRight: () => sideways(1),
    ArrowUp: () => zoom.move(0, STEP_PX),
    ArrowDown: () => zoom.move(0, -STEP_PX),
  };
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key];
    const { tagName } = event.target as HTMLElement;
    const isElsewhere = document.querySelectorAll(OVERLAYS).length > 1 || OWN_KEYS.test(tagName);
    if (!act || event.ctrlKey || event.metaKey || isElsewhere) return;
    event.preventDefault();
    act();
  };
  const latest = useRef(press);
  latest.current = press;
  // On the document, because the focus may be on the dialog around this component.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return go;
}

function FileViewer({ viewed, file }: { viewed: ViewerState; file: StoredFile }) {
  const zoom = useZoom(file.id);
  const go = useViewerKeys(viewed, zoom);
  const { actions, dialog } = useFileMenu(file, closeViewer);
  const place = viewed.ids.indexOf(viewed.id);
  return (
    <div className={styles.viewer}>
      <header className={styles.head}>
        <div>
          <Heading slot="title" level={2}>
            <bdi>{safeFileName(file.name)}</bdi>
          </Heading>
          <p>{fileFacts(file).join(" · ")}</p>
        </div>
        <div className={styles.ways}>
          {isShownPicture(file) && <ZoomButtons {...zoom} />}
          <IconButton label="Download" onPress={() => void saveFile(file)}>
            <Download aria-hidden="true" />
          </IconButton>
          <ActionMenu label="More" actions={actions} />
          <IconButton label="Close" shortcut="Esc" onPress={closeViewer}>
            <X aria-hidden="true" />
          </IconButton>
        </div>
      </header>
      <div className={styles.content}>
        <Content file={file} page={viewed.page} zoom={zoom} />
        {viewed.ids.length > 1 && (
          <nav className={styles.steps} aria-label="Files">
            <IconButton label="Previous" shortcut="←" isDisabled={place <= 0} onPress={() => go(-1)}>
              <ChevronLeft aria-hidden="true" />
            </IconButton>
            <span role="status">
              {place + 1} of {viewed.ids.length}
            </span>
            <IconButton
              label="Next"
              shortcut="→"
              isDisabled={place >= viewed.ids.length - 1}
              onPress={() => go(1)}
            >
              <ChevronRight aria-hidden="true" />
            </IconButton>
          </nav>
        )}
      </div>
      <footer className={styles.foot}>
        {file.alt && <p>{file.alt}</p>}
        <FileUsage file={file} onOpen={closeViewer} />
      </footer>
      {dialog}
    </div>
  );
}

function ViewerContent({ viewed }: { viewed: ViewerState }) {
  const { data: file, error, refetch } = useFile(viewed.id);
  if (file) return <FileViewer viewed={viewed} file={file} />;
  return (
    <div className={styles.viewer}>
      <header className={styles.head}>
        <Heading slot="title" level={2}>
          File
        </Heading>
        <IconButton label="Close" onPress={closeViewer}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      {error ? <Problem problem={error} retry={() => void refetch()} /> : <Loading />}
    </div>
  );
}

/** The viewer over the screen: zoomable pictures, PDFs, audio and video. */
export default function Viewer() {
  const viewed = useViewerState();
  useEffect(() => {
    if (!viewed) return;
    // Back navigates to another screen, which must not be covered.
    addEventListener("popstate", closeViewer);
    return () => removeEventListener("popstate", closeViewer);
  }, [viewed]);
  if (!viewed) return null;
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => !open && closeViewer()}
      className={styles.overlay ?? ""}
    >
      <Modal className={styles.modal ?? ""}>
        <Dialog className={styles.dialog ?? ""}>
          <ViewerContent viewed={viewed} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
